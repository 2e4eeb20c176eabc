-- Where the clock once was wrong, a row may be of a later year: then the first partition ends after that row.
DO $$
DECLARE
  latest timestamptz;
BEGIN
  ALTER TABLE "audit_entry" VALIDATE CONSTRAINT "audit_entry_first_partition";
EXCEPTION WHEN check_violation THEN
  SELECT max("at") INTO latest FROM "audit_entry";
  ALTER TABLE "audit_entry" DROP CONSTRAINT "audit_entry_first_partition";
  EXECUTE format('ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_first_partition" CHECK ("at" < %L) NOT VALID',
                 date_trunc('month', latest, 'UTC') + interval '1 month');
END $$;
