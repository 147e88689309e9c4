/** Bytes that come in pieces. However small the pieces are, they take hardly more memory than there are bytes. */
export class Bytes {
  length = 0;
  private room: Buffer = Buffer.alloc(0);

  add(piece: Uint8Array): void {
    const needed = this.length + piece.length;
    if (needed > this.room.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.length));
      this.room.copy(larger, 0, 0, this.length);
      this.room = larger;
    }
    this.room.set(piece, this.length);
    this.length = needed;
  }

  /** The first of them, `most` at most. */
  first(most: number): Buffer {
    return this.room.subarray(0, Math.min(most, this.length));
  }
}
