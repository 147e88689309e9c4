/**
 * A growable buffer. It uses at most about twice the memory of its content, however small the added pieces
 * are.
 */
export class Bytes {
  length = 0;
  private buffer: Buffer = Buffer.alloc(0);

  add(piece: Uint8Array): void {
    const needed = this.length + piece.length;
    if (needed > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.length));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    this.buffer.set(piece, this.length);
    this.length = needed;
  }

  /** At most the first `limit` bytes. */
  first(limit: number): Buffer {
    return this.buffer.subarray(0, Math.min(limit, this.length));
  }
}
