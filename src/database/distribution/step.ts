/** One statement on the way to a distributed database, with a word for the operator. */
export interface Step {
  title: string;
  sql: string;
  /** As PostgreSQL last counted them; null where no rows are moved. */
  rows: number | null;
}
