-- AlterTable
ALTER TABLE "patient" ADD COLUMN     "last_email" TEXT;

-- CreateTable
CREATE TABLE "patient_name_key" (
    "organization_id" INTEGER NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "last_key" TEXT COLLATE "C" NOT NULL,
    "first_key" TEXT COLLATE "C" NOT NULL,
    "office_id" INTEGER,
    "shared_length" INTEGER NOT NULL,

    CONSTRAINT "patient_name_key_pkey" PRIMARY KEY ("organization_id","patient_id","ordinal")
);

-- AddForeignKey
ALTER TABLE "patient_name_key" ADD CONSTRAINT "patient_name_key_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand from here.

ALTER TABLE patient_name_key ADD CONSTRAINT patient_name_key_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);

-- The keys of a folded last name: the whole, and what follows each space, hyphen or apostrophe in it. shared_length is how
-- many characters a key has in common with an earlier one, at most: "garcia-garza" answers to "gar" once, not twice.
CREATE FUNCTION name_keys(name text) RETURNS TABLE (ordinal int, last_key text, shared_length int) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 1, name, -1
  UNION ALL
  SELECT later.ordinal, later.key,
         (SELECT coalesce(max(n), 0)
            FROM unnest(starts.at) WITH ORDINALITY AS earlier (start, place), generate_series(1, char_length(later.key)) AS n
           WHERE earlier.place < later.ordinal AND left(substr(name, earlier.start), n) = left(later.key, n))::int
    FROM (SELECT array_agg(p ORDER BY p) AS at
            FROM generate_series(1, char_length(name)) AS p
           WHERE p = 1 OR (substr(name, p - 1, 1) ~ '[\s''-]' AND substr(name, p, 1) !~ '[\s''-]')) AS starts
   CROSS JOIN LATERAL (SELECT place::int AS ordinal, substr(name, start) AS key
                         FROM unnest(starts.at) WITH ORDINALITY AS word (start, place) WHERE place > 1) AS later
   WHERE name ~ '[\s''-]'
$$;

-- A chart is listed unless it is deleted, restricted or blocked; a departmental copy is as restricted as the chart it copies.
CREATE FUNCTION patient_is_listed(organization int, patient int, enterprise int, status patient_status) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT status <> 'deleted' AND NOT EXISTS (
    SELECT 1 FROM privacy_restriction r
     WHERE r.organization_id = organization AND r.patient_id IN (patient, enterprise) AND r.lifted_at IS NULL AND r.kind IN ('record', 'blocked'))
$$;

CREATE FUNCTION patient_name_keys_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
  SELECT p.organization_id, p.id, k.ordinal, k.last_key, coalesce(p.first_name_folded, ''), p.primary_office_id, k.shared_length
    FROM added p CROSS JOIN LATERAL name_keys(coalesce(p.last_name_folded, '')) k
   WHERE patient_is_listed(p.organization_id, p.id, p.enterprise_id, p.status);
  RETURN NULL;
END $$;
CREATE TRIGGER patient_name_keys_added AFTER INSERT ON patient
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION patient_name_keys_added();

-- The caller holds the patient's row, so that two changes at once (a name and a restriction, say) follow one another.
CREATE FUNCTION renew_patient_name_keys(organization int, patient int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM patient_name_key WHERE organization_id = organization AND patient_id = patient;
  INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
  SELECT p.organization_id, p.id, k.ordinal, k.last_key, coalesce(p.first_name_folded, ''), p.primary_office_id, k.shared_length
    FROM patient p CROSS JOIN LATERAL name_keys(coalesce(p.last_name_folded, '')) k
   WHERE p.organization_id = organization AND p.id = patient AND patient_is_listed(p.organization_id, p.id, p.enterprise_id, p.status);
$$;

CREATE FUNCTION patient_name_keys_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM renew_patient_name_keys(NEW.organization_id, NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER patient_name_keys_changed AFTER UPDATE OF first_name, last_name, status, primary_office_id, enterprise_id ON patient
  FOR EACH ROW WHEN (OLD.first_name_folded IS DISTINCT FROM NEW.first_name_folded OR OLD.last_name_folded IS DISTINCT FROM NEW.last_name_folded
    OR OLD.primary_office_id IS DISTINCT FROM NEW.primary_office_id OR OLD.enterprise_id IS DISTINCT FROM NEW.enterprise_id
    OR (OLD.status = 'deleted') <> (NEW.status = 'deleted'))
  EXECUTE FUNCTION patient_name_keys_changed();

-- FOR UPDATE also waits for a copy that is being made, and a copy for it.
CREATE FUNCTION patient_restriction_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  restriction privacy_restriction := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  chart int;
BEGIN
  PERFORM 1 FROM patient WHERE organization_id = restriction.organization_id AND id = restriction.patient_id FOR UPDATE;
  FOR chart IN
    SELECT id FROM patient
     WHERE organization_id = restriction.organization_id AND (id = restriction.patient_id OR enterprise_id = restriction.patient_id)
     ORDER BY id FOR UPDATE
  LOOP
    PERFORM renew_patient_name_keys(restriction.organization_id, chart);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER patient_restriction_changed AFTER INSERT OR UPDATE OR DELETE ON privacy_restriction
  FOR EACH ROW EXECUTE FUNCTION patient_restriction_changed();

INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
SELECT p.organization_id, p.id, k.ordinal, k.last_key, coalesce(p.first_name_folded, ''), p.primary_office_id, k.shared_length
  FROM patient p CROSS JOIN LATERAL name_keys(coalesce(p.last_name_folded, '')) k
 WHERE patient_is_listed(p.organization_id, p.id, p.enterprise_id, p.status);

-- Each search is one range of one of these, in the order in which it answers, and counts without a look at the table.
-- The first does not know the office, and the last none without one: the planner would otherwise take one for the other.
CREATE INDEX patient_name_key_last_idx ON patient_name_key (organization_id, last_key, first_key, patient_id) INCLUDE (shared_length);
CREATE INDEX patient_name_key_first_idx ON patient_name_key (organization_id, first_key, last_key, patient_id) INCLUDE (office_id) WHERE ordinal = 1;
CREATE INDEX patient_name_key_office_idx ON patient_name_key (organization_id, office_id, last_key, first_key, patient_id) INCLUDE (shared_length) WHERE office_id IS NOT NULL;
DROP INDEX patient_last_name_idx;
DROP INDEX patient_first_name_idx;
DROP INDEX patient_last_name_trgm_idx;

-- Lists of appointments in the order of start and id, of everybody, of an office, of a user. What lists and figures are
-- narrowed by stands in the index too, so that counting a month, or skipping to a late page, does not read the table.
DROP INDEX "appointment_organization_id_starts_at_id_idx";
CREATE INDEX "appointment_organization_id_starts_at_id_idx" ON appointment (organization_id, starts_at, id)
  INCLUDE (status, confirmation, show_on_tasks, type_id, location_id);
DROP INDEX "appointment_organization_id_office_id_starts_at_id_idx";
CREATE INDEX "appointment_organization_id_office_id_starts_at_id_idx" ON appointment (organization_id, office_id, starts_at, id)
  INCLUDE (status, confirmation, show_on_tasks, type_id, location_id);
DROP INDEX "user_appointment_organization_id_user_id_starts_at_idx";
CREATE INDEX "user_appointment_organization_id_user_id_starts_at_appointm_idx" ON user_appointment (organization_id, user_id, starts_at, appointment_id);

-- Each insert into the logs took a lock on the one row of its organization, for half of what the insert cost. They are
-- written for callers whose organization was just found, they outlive what they tell of, and no organization is deleted.
ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_organization_fkey;
ALTER TABLE event DROP CONSTRAINT event_organization_fkey;
