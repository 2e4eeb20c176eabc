-- Nothing is left to do, unless the first partition was widened.
ALTER TABLE "audit_entry" VALIDATE CONSTRAINT "audit_entry_first_partition";
