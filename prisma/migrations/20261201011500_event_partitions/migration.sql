-- One short transaction: no row is copied.
SELECT divide_log('event', 'occurred_at');
SELECT make_log_partitions();
DROP FUNCTION divide_log(text, text);

-- As before, and finds an event in its partition by its instant.
CREATE OR REPLACE FUNCTION delete_oldest_events(practice int, last_sealed bigint, before timestamptz, most int) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH oldest AS (
    SELECT transaction_id, id, occurred_at FROM event
     WHERE organization_id = practice AND transaction_id <= last_sealed ORDER BY transaction_id, id LIMIT most
  ), kept AS (
    SELECT transaction_id, id FROM oldest WHERE occurred_at >= before ORDER BY transaction_id, id LIMIT 1
  ), deleted AS (
    DELETE FROM event e USING oldest o
     WHERE e.organization_id = practice AND e.transaction_id = o.transaction_id AND e.id = o.id AND e.occurred_at = o.occurred_at
       AND NOT EXISTS (SELECT FROM kept k WHERE (o.transaction_id, o.id) >= (k.transaction_id, k.id))
    RETURNING e.transaction_id, e.id
  ), start AS (
    INSERT INTO event_log_start (organization_id, transaction_id, event_id, deleted_at)
    SELECT practice, transaction_id, id, now() FROM deleted ORDER BY transaction_id DESC, id DESC LIMIT 1
    ON CONFLICT (organization_id) DO UPDATE
      SET transaction_id = excluded.transaction_id, event_id = excluded.event_id, deleted_at = excluded.deleted_at
  )
  SELECT count(*) FROM deleted
$$;
