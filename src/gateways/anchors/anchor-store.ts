/** A place outside of the database for the signed heads of the audit. */
export interface AnchorStore {
  /** Adds a line; it is on the disk, or under lock in the bucket, when the promise is fulfilled. */
  append(line: string, at: Date): Promise<void>;
  /** All lines, oldest first. */
  read(): Promise<string[]>;
}
