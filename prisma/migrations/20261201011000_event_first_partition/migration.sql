-- The rows that are there become the first partition of event, which ends with the month three months from now: each row, old and
-- new, is from before. Servers write a row with the instant of its transaction, so none is refused meanwhile.
DO $$
BEGIN
  EXECUTE format('ALTER TABLE "event" ADD CONSTRAINT "event_first_partition" CHECK ("occurred_at" < %L) NOT VALID',
                 date_trunc('month', now(), 'UTC') + interval '3 months');
END $$;
