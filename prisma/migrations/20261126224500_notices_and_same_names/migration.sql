-- CreateEnum
CREATE TYPE "visit_change_notice" AS ENUM ('none', 'text', 'email');

-- AlterTable
ALTER TABLE "sms_message" ADD COLUMN     "sent_by_user_id" INTEGER;

-- AlterTable
ALTER TABLE "organization" ADD COLUMN     "visit_change_notice" "visit_change_notice" NOT NULL DEFAULT 'none';

-- fold() and without_separators() agree with src/domain/values/same-text.ts, which says what is the same to a person.

CREATE OR REPLACE FUNCTION fold(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN octet_length(value) = char_length(value) THEN lower(value) ELSE normalize(
    replace(replace(replace(replace(translate(
      -- Accents, vowel signs that people leave out, and what is invisible.
      regexp_replace(lower(normalize(value, NFKD)), '[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff\u0951-\u0954\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1add\u1ae0-\u1aeb\u1cd0-\u1cd2\u1cd4-\u1ce0\u1ce2-\u1ce8\u1ced\u1cf4\u1cf8\u1cf9\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20f0\u2de0-\u2dff\u302a-\u302d\u3164\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff0-\ufff8\U000101fd\U000102e0\U00010efa-\U00010eff\U0001133b\U0001bca0-\U0001bca3\U0001cf00-\U0001cf2d\U0001cf30-\U0001cf46\U0001d167-\U0001d169\U0001d173-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001e08f\U000e0000-\U000e0fff]', '', 'g'),
      'øđðłħŧıς', 'oddlhtiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), NFC) END
$$;

-- Without blanks, hyphens, apostrophes and quotes: O'Hara, O Hara and OHara are one, and so are Smith-Jones and Smith Jones.
DROP INDEX patient_name_key_match_idx;
CREATE OR REPLACE FUNCTION without_separators(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(name, '[\u0009-\u000d ''\u002d`"\u0085\u00a0\u00ab\u00b4\u00bb\u02b9\u02bb-\u02bf\u02c8\u058a\u05be\u1400\u1680\u1806\u2000-\u200a\u2010-\u2015\u2018-\u201f\u2028\u2029\u202f\u2032\u2039\u203a\u2043\u205f\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u3000\u300c-\u300f\u301c-\u301f\u3030\u30a0\ufe31\ufe32\ufe58\ufe63\uff02\uff07\uff0d\U00010d6e\U00010ead]', '', 'g')
$$;

-- The keys of a folded last name, without separators: of the whole name, and of the rest of it after each separator. shared_length is
-- the greatest number of characters that a key has in common with an earlier one: "garcia-garza" matches "gar" once.
DO $$
BEGIN
  EXECUTE format($f$
    CREATE OR REPLACE FUNCTION name_keys(name text) RETURNS TABLE (ordinal int, last_key text, shared_length int)
      LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
      SELECT 1, %1$s.without_separators(name), -1
      UNION ALL
      SELECT later.ordinal, later.key,
             (SELECT coalesce(max(n), 0)
                FROM unnest(starts.keys) WITH ORDINALITY AS earlier (key, place), generate_series(1, char_length(later.key)) AS n
               WHERE earlier.place < later.ordinal AND left(earlier.key, n) = left(later.key, n))::int
        FROM (SELECT array_agg(%1$s.without_separators(substr(name, p)) ORDER BY p) AS keys
                FROM generate_series(1, char_length(name)) AS p
               WHERE p = 1 OR (%1$s.without_separators(substr(name, p - 1, 1)) = '' AND %1$s.without_separators(substr(name, p, 1)) <> '')) AS starts
       CROSS JOIN LATERAL (SELECT place::int AS ordinal, key FROM unnest(starts.keys) WITH ORDINALITY AS word (key, place) WHERE place > 1) AS later
       WHERE %1$s.without_separators(name) <> name
    $body$ $f$, quote_ident(current_schema()));
END $$;

CREATE OR REPLACE FUNCTION patient_name_keys_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
  SELECT p.organization_id, p.id, k.ordinal, k.last_key, without_separators(coalesce(p.first_name_folded, '')), p.primary_office_id, k.shared_length
    FROM added p CROSS JOIN LATERAL name_keys(coalesce(p.last_name_folded, '')) k
   WHERE p.status <> 'deleted' AND NOT p.restricted;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION renew_patient_name_keys(organization int, patient int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  chart record;
  key record;
BEGIN
  DELETE FROM patient_name_key n WHERE n.organization_id = organization AND n.patient_id = patient;
  SELECT p.last_name_folded, without_separators(coalesce(p.first_name_folded, '')) AS first_key, p.primary_office_id INTO chart
    FROM patient p WHERE p.organization_id = organization AND p.id = patient AND p.status <> 'deleted' AND NOT p.restricted;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  FOR key IN SELECT * FROM name_keys(coalesce(chart.last_name_folded, '')) LOOP
    INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
    VALUES (organization, patient, key.ordinal, key.last_key, chart.first_key, chart.primary_office_id, key.shared_length);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION patient_name_key_added() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  key record;
BEGIN
  FOR key IN SELECT * FROM name_keys(coalesce(NEW.last_name_folded, '')) LOOP
    INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
    VALUES (NEW.organization_id, NEW.id, key.ordinal, key.last_key, without_separators(coalesce(NEW.first_name_folded, '')), NEW.primary_office_id,
            key.shared_length);
  END LOOP;
  RETURN NULL;
END $$;

-- What is stored by the functions as they were.
UPDATE patient SET first_name = first_name
 WHERE first_name_folded IS DISTINCT FROM fold(coalesce(first_name, last_name)) OR last_name_folded IS DISTINCT FROM fold(coalesce(last_name, first_name));
DELETE FROM patient_name_key n USING patient p
 WHERE p.organization_id = n.organization_id AND p.id = n.patient_id
   AND (without_separators(p.last_name_folded) <> p.last_name_folded OR without_separators(p.first_name_folded) <> p.first_name_folded);
INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
SELECT p.organization_id, p.id, k.ordinal, k.last_key, without_separators(coalesce(p.first_name_folded, '')), p.primary_office_id, k.shared_length
  FROM patient p CROSS JOIN LATERAL name_keys(coalesce(p.last_name_folded, '')) k
 WHERE p.status <> 'deleted' AND NOT p.restricted
   AND (without_separators(p.last_name_folded) <> p.last_name_folded OR without_separators(p.first_name_folded) <> p.first_name_folded);
ALTER TABLE contact DROP COLUMN last_key, DROP COLUMN first_key;
ALTER TABLE contact
  ADD COLUMN last_key text COLLATE "C" GENERATED ALWAYS AS (coalesce(without_separators(fold(last_name)), '')) STORED NOT NULL,
  ADD COLUMN first_key text COLLATE "C" GENERATED ALWAYS AS (coalesce(without_separators(fold(first_name)), '')) STORED NOT NULL;
CREATE INDEX contact_first_idx ON contact (organization_id, first_key, last_key, id) WHERE patient_id IS NULL;
CREATE INDEX contact_last_idx ON contact (organization_id, last_key, first_key, id) WHERE patient_id IS NULL;
REINDEX INDEX contact_tag_name_key;
REINDEX INDEX program_name_key;
REINDEX INDEX item_name_key;
