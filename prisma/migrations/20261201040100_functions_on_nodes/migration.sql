-- Functions that read or write rows of a practice, in the language in which they also run on the node that has those rows: an engine
-- that distributes tables refuses parameters of functions in plain SQL. What they do stays as it was.

CREATE OR REPLACE FUNCTION number_stopped_texts(int, text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((SELECT o.opted_out FROM opt_out o WHERE o.organization_id = $1 AND o.number = $2
                    ORDER BY o.recorded_at DESC, o.id DESC LIMIT 1), false);
END $$;

CREATE OR REPLACE FUNCTION patient_is_restricted(organization int, patient int, enterprise int) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT 1 FROM privacy_restriction r
     WHERE r.organization_id = organization AND r.patient_id IN (patient, enterprise) AND r.lifted_at IS NULL AND r.kind IN ('record', 'blocked'));
END $$;

-- The condition is the text of patient_is_restricted: a statement over the rows of a node may call no function that reads others.
CREATE OR REPLACE FUNCTION patient_restriction_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  restriction privacy_restriction := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM 1 FROM patient WHERE organization_id = restriction.organization_id AND id = restriction.patient_id FOR UPDATE;
  PERFORM 1 FROM patient
    WHERE organization_id = restriction.organization_id AND (id = restriction.patient_id OR enterprise_id = restriction.patient_id)
    ORDER BY id FOR UPDATE;
  UPDATE patient p SET restricted = NOT p.restricted
   WHERE p.organization_id = restriction.organization_id AND (p.id = restriction.patient_id OR p.enterprise_id = restriction.patient_id)
     AND p.restricted <> EXISTS (
       SELECT 1 FROM privacy_restriction r
        WHERE r.organization_id = restriction.organization_id AND r.patient_id IN (p.id, p.enterprise_id)
          AND r.lifted_at IS NULL AND r.kind IN ('record', 'blocked'));
  RETURN NULL;
END $$;

-- One row at a time: a name has one key, or as many as it has words.
CREATE OR REPLACE FUNCTION renew_patient_name_keys(organization int, patient int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  chart record;
  key record;
BEGIN
  DELETE FROM patient_name_key n WHERE n.organization_id = organization AND n.patient_id = patient;
  SELECT p.last_name_folded, p.first_name_folded, p.primary_office_id INTO chart
    FROM patient p WHERE p.organization_id = organization AND p.id = patient AND p.status <> 'deleted' AND NOT p.restricted;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  FOR key IN SELECT * FROM name_keys(coalesce(chart.last_name_folded, '')) LOOP
    INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
    VALUES (organization, patient, key.ordinal, key.last_key, coalesce(chart.first_name_folded, ''), chart.primary_office_id, key.shared_length);
  END LOOP;
END $$;

-- The keys of one added chart, where rows are added one by one.
CREATE FUNCTION patient_name_key_added() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  key record;
BEGIN
  FOR key IN SELECT * FROM name_keys(coalesce(NEW.last_name_folded, '')) LOOP
    INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
    VALUES (NEW.organization_id, NEW.id, key.ordinal, key.last_key, coalesce(NEW.first_name_folded, ''), NEW.primary_office_id, key.shared_length);
  END LOOP;
  RETURN NULL;
END $$;

-- The name of an operation that is new is given a number where all tables are on one machine. On a node of several it stays a name,
-- which readers and seals take as well.
CREATE OR REPLACE FUNCTION pack_audit_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  known int;
BEGIN
  IF NEW.operation_id IS NULL THEN
    SELECT id INTO known FROM audit_operation WHERE name = NEW.operation;
    IF known IS NULL AND to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
      INSERT INTO audit_operation (name) VALUES (NEW.operation) ON CONFLICT DO NOTHING RETURNING id INTO known;
    END IF;
    IF known IS NOT NULL THEN
      NEW.operation_id := known;
      NEW.operation := '';
    END IF;
  END IF;
  IF NEW.request_uuid IS NULL AND NEW.request_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' THEN
    NEW.request_uuid := NEW.request_id::uuid;
    NEW.request_id := NULL;
  END IF;
  IF NEW.record_id IS NULL AND cardinality(NEW.resource_ids) = 1 AND NEW.resource_ids[1] IS NOT NULL THEN
    NEW.record_id := NEW.resource_ids[1];
    NEW.resource_ids := NULL;
  END IF;
  RETURN NEW;
END $$;

-- The hash of a closed month, of values: a row of a part of the table has another type than one of the whole.
CREATE FUNCTION closed_month_hash(organization int, closed_month text, time_zone text, readings monitoring_readings,
  supply_period monitoring_period, row_count int, held_count int, closed_by_id int, closed_at timestamptz)
RETURNS bytea LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT sha256(convert_to(
    concat_ws(' ', organization, closed_month, time_zone, readings, supply_period, row_count, held_count, closed_by_id,
              to_char(closed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || E'\n' ||
    coalesce(string_agg(r.patient_id || ' ' || encode(r.hash, 'hex') || E'\n', '' ORDER BY r.patient_id), ''), 'UTF8'))
    FROM closed_ledger_row r WHERE r.organization_id = organization AND r.month = closed_month AND r.version = 1);
END $$;

CREATE OR REPLACE FUNCTION set_closed_month_hash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.hash := closed_month_hash(NEW.organization_id, NEW.month, NEW.time_zone, NEW.readings, NEW.supply_period, NEW.row_count,
                                NEW.held_count, NEW.closed_by_id, NEW.closed_at);
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION delete_oldest_events(practice int, last_sealed bigint, before timestamptz, most int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  kept_transaction bigint;
  kept_id bigint;
  last_transaction bigint;
  last_id bigint;
  deleted bigint;
BEGIN
  -- The first that is kept: it is too young, or beyond the most that is deleted at a time, or the first that is not sealed.
  SELECT o.transaction_id, o.id INTO kept_transaction, kept_id FROM (
    SELECT e.transaction_id, e.id, e.occurred_at, row_number() OVER (ORDER BY e.transaction_id, e.id) AS place FROM (
      SELECT transaction_id, id, occurred_at FROM event WHERE organization_id = practice ORDER BY transaction_id, id LIMIT most + 1
    ) e
  ) o
   WHERE o.occurred_at >= before OR o.place > most OR o.transaction_id > last_sealed ORDER BY o.transaction_id, o.id LIMIT 1;
  SELECT e.transaction_id, e.id INTO last_transaction, last_id FROM event e
   WHERE e.organization_id = practice AND e.transaction_id <= last_sealed
     AND (kept_transaction IS NULL OR (e.transaction_id, e.id) < (kept_transaction, kept_id))
   ORDER BY e.transaction_id DESC, e.id DESC LIMIT 1;
  IF last_transaction IS NULL THEN
    RETURN 0;
  END IF;
  DELETE FROM event e WHERE e.organization_id = practice AND (e.transaction_id, e.id) <= (last_transaction, last_id);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  INSERT INTO event_log_start (organization_id, transaction_id, event_id, deleted_at) VALUES (practice, last_transaction, last_id, now())
  ON CONFLICT (organization_id) DO UPDATE
    SET transaction_id = excluded.transaction_id, event_id = excluded.event_id, deleted_at = excluded.deleted_at;
  RETURN deleted;
END $$;

-- Each table is asked for the rows of the appointment's practice by its number, so that a node knows that it has them.
CREATE OR REPLACE FUNCTION appointment_links_follow() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  closing timestamptz := CASE WHEN NEW.status = 'cancelled' THEN now() ELSE NEW.ends_at + interval '2 hours' END;
BEGIN
  UPDATE video_session s
     SET expires_at = CASE WHEN NEW.status = 'cancelled' THEN least(s.expires_at, closing) ELSE closing END
   WHERE s.organization_id = NEW.organization_id AND s.appointment_id = NEW.id AND s.ended_at IS NULL AND closing IS NOT NULL
     AND (closing >= s.expires_at OR NOT EXISTS (
       SELECT FROM session_participant p WHERE p.organization_id = NEW.organization_id AND p.video_session_id = s.id
          AND p.joined_at IS NOT NULL AND p.left_at IS NULL));
  UPDATE session_invite i SET expires_at = s.expires_at
    FROM video_session s
   WHERE s.organization_id = NEW.organization_id AND s.appointment_id = NEW.id AND s.ended_at IS NULL
     AND i.organization_id = NEW.organization_id AND i.video_session_id = s.id AND i.expires_at <> s.expires_at;
  UPDATE session_invite i
     SET expires_at = CASE WHEN NEW.status = 'cancelled' THEN least(i.expires_at, closing) ELSE closing END
   WHERE i.organization_id = NEW.organization_id AND i.appointment_id = NEW.id AND i.waiting_room_id IS NOT NULL AND closing IS NOT NULL
     AND (closing >= i.expires_at OR NOT EXISTS (
       SELECT FROM session_participant p WHERE p.organization_id = NEW.organization_id AND p.invite_id = i.id
          AND p.joined_at IS NOT NULL AND p.left_at IS NULL));
  -- The link is sent again before the new start.
  DELETE FROM appointment_reminder r
   WHERE r.organization_id = NEW.organization_id AND r.appointment_id = NEW.id AND r.kind = 'five_minutes'
     AND OLD.starts_at IS DISTINCT FROM NEW.starts_at AND NEW.starts_at > now() + interval '5 minutes';
  RETURN NULL;
END $$;
