-- Where the clock once was wrong, a row may be of a later year: then the first partition ends after that row.
DO $$
DECLARE
  latest timestamptz;
BEGIN
  ALTER TABLE "event" VALIDATE CONSTRAINT "event_first_partition";
EXCEPTION WHEN check_violation THEN
  SELECT max("occurred_at") INTO latest FROM "event";
  ALTER TABLE "event" DROP CONSTRAINT "event_first_partition";
  EXECUTE format('ALTER TABLE "event" ADD CONSTRAINT "event_first_partition" CHECK ("occurred_at" < %L) NOT VALID',
                 date_trunc('month', latest, 'UTC') + interval '1 month');
END $$;
