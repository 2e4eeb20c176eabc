export interface RowKey {
  organizationId: number;
  id: number;
}
