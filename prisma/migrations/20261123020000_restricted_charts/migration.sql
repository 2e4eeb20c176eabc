-- A chart carries whether it is restricted, so that every statement that joins it can leave it out. The restrictions of a person
-- stand beside the enterprise chart and hold for its departmental copies too.
ALTER TABLE "patient" ADD COLUMN "restricted" BOOLEAN NOT NULL DEFAULT false;

-- Few charts are restricted: lists that also show them read these beside the name keys.
CREATE INDEX patient_restricted_idx ON patient (organization_id, id) WHERE restricted;

CREATE FUNCTION patient_is_restricted(organization int, patient int, enterprise int) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT 1 FROM privacy_restriction r
     WHERE r.organization_id = organization AND r.patient_id IN (patient, enterprise) AND r.lifted_at IS NULL AND r.kind IN ('record', 'blocked'))
$$;

UPDATE patient SET restricted = true
 WHERE (organization_id, id) IN (
   SELECT p.organization_id, p.id
     FROM privacy_restriction r
     JOIN patient p ON p.organization_id = r.organization_id AND (p.id = r.patient_id OR p.enterprise_id = r.patient_id)
    WHERE r.lifted_at IS NULL AND r.kind IN ('record', 'blocked'));

-- The column of a copy, and of a row that was written by hand, follows from the restrictions. The lock on the enterprise chart
-- waits for a restriction that is being added to it.
CREATE FUNCTION patient_restricted_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM patient WHERE organization_id = NEW.organization_id AND id = NEW.enterprise_id FOR KEY SHARE;
  NEW.restricted := patient_is_restricted(NEW.organization_id, NEW.id, NEW.enterprise_id);
  RETURN NEW;
END $$;
CREATE TRIGGER patient_restricted_added BEFORE INSERT ON patient
  FOR EACH ROW WHEN (NEW.restricted OR NEW.enterprise_id IS NOT NULL) EXECUTE FUNCTION patient_restricted_kept();
CREATE TRIGGER patient_restricted_changed BEFORE UPDATE OF restricted, enterprise_id ON patient
  FOR EACH ROW WHEN (OLD.restricted <> NEW.restricted OR OLD.enterprise_id IS DISTINCT FROM NEW.enterprise_id)
  EXECUTE FUNCTION patient_restricted_kept();

-- A restriction changes the chart and its copies, and their name keys follow from that. FOR UPDATE also waits for a copy that is
-- being made, and a copy for it.
CREATE OR REPLACE FUNCTION patient_restriction_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  restriction privacy_restriction := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM 1 FROM patient WHERE organization_id = restriction.organization_id AND id = restriction.patient_id FOR UPDATE;
  PERFORM 1 FROM patient
    WHERE organization_id = restriction.organization_id AND (id = restriction.patient_id OR enterprise_id = restriction.patient_id)
    ORDER BY id FOR UPDATE;
  UPDATE patient SET restricted = NOT restricted
   WHERE organization_id = restriction.organization_id AND (id = restriction.patient_id OR enterprise_id = restriction.patient_id)
     AND restricted <> patient_is_restricted(organization_id, id, enterprise_id);
  RETURN NULL;
END $$;

-- The name keys: of charts that are neither deleted nor restricted.
CREATE OR REPLACE FUNCTION patient_name_keys_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
  SELECT p.organization_id, p.id, k.ordinal, k.last_key, coalesce(p.first_name_folded, ''), p.primary_office_id, k.shared_length
    FROM added p CROSS JOIN LATERAL name_keys(coalesce(p.last_name_folded, '')) k
   WHERE p.status <> 'deleted' AND NOT p.restricted;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION renew_patient_name_keys(organization int, patient int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM patient_name_key WHERE organization_id = organization AND patient_id = patient;
  INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
  SELECT p.organization_id, p.id, k.ordinal, k.last_key, coalesce(p.first_name_folded, ''), p.primary_office_id, k.shared_length
    FROM patient p CROSS JOIN LATERAL name_keys(coalesce(p.last_name_folded, '')) k
   WHERE p.organization_id = organization AND p.id = patient AND p.status <> 'deleted' AND NOT p.restricted;
$$;

-- A BEFORE trigger may set `restricted` in an update that does not name it, so every update is looked at that changes the copied chart.
DROP TRIGGER patient_name_keys_changed ON patient;
CREATE TRIGGER patient_name_keys_changed AFTER UPDATE OF first_name, last_name, status, primary_office_id, enterprise_id, restricted ON patient
  FOR EACH ROW WHEN (OLD.first_name_folded IS DISTINCT FROM NEW.first_name_folded OR OLD.last_name_folded IS DISTINCT FROM NEW.last_name_folded
    OR OLD.primary_office_id IS DISTINCT FROM NEW.primary_office_id OR OLD.restricted <> NEW.restricted
    OR (OLD.status = 'deleted') <> (NEW.status = 'deleted'))
  EXECUTE FUNCTION patient_name_keys_changed();

DROP FUNCTION patient_is_listed(int, int, int, patient_status);
