/** Even a small chunk takes time to read: after this many, each counts as `CHUNK_COST_BYTES` more bytes. */
const FREE_CHUNKS = 4096;
const CHUNK_COST_BYTES = 16;

/** Collects bytes up to a limit, in at most about twice their memory, however small the pieces are. */
export class Bytes {
  /** Number of bytes added, including those beyond the limit. */
  length = 0;
  private readonly limit: number;
  private pieces = 0;
  private buffer: Buffer = Buffer.alloc(0);

  constructor(limit: number) {
    this.limit = limit;
  }

  add(piece: Uint8Array): void {
    if (this.length < this.limit) this.keep(piece.subarray(0, this.limit - this.length));
    this.length += piece.length;
    this.pieces += 1;
  }

  private keep(piece: Uint8Array): void {
    const needed = this.length + piece.length;
    if (needed > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(needed, 2 * this.length), this.limit));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    this.buffer.set(piece, this.length);
  }

  get isTooLong(): boolean {
    return this.length > this.limit;
  }

  /** Whether to stop reading: the body is too long, or comes in very many tiny pieces. */
  get isTooMuch(): boolean {
    return this.isTooLong || this.length + (this.pieces - FREE_CHUNKS) * CHUNK_COST_BYTES > 2 * this.limit;
  }

  get kept(): Buffer {
    return this.buffer.subarray(0, Math.min(this.limit, this.length));
  }
}
