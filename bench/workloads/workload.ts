import type { Asker } from '../access.ts';

/** What is asked of both servers, at the same paths. */
export interface Workload {
  /** For `--only`, and for the log. */
  name: string;
  title: string;
  asker: Asker;
  /** Requests under way at any moment. */
  connections: number;
  /** Asked for in turns. */
  paths: string[];
  /** Where the rows of an answer are; null when the answer is a single record. */
  rows: 'patients' | 'data' | 'body' | null;
}
