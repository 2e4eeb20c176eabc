-- The key of an entry is its place in the log. An index of ids alone had cost as much as the seals, and one list of charts for all
-- entries more than the rows' largest column.
ALTER TABLE "audit_entry" DROP CONSTRAINT "audit_entry_pkey";
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_pkey" PRIMARY KEY USING INDEX "audit_entry_order";
DROP INDEX "audit_entry_organization_id_transaction_id_id_idx";
DROP INDEX "audit_entry_patient_idx";
