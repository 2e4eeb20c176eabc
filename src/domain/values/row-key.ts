/** A row of a practice. */
export interface RowKey {
  organizationId: number;
  id: number;
}
