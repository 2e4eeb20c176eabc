-- New practices look for the same person before they register a patient; those that exist keep their setting.
ALTER TABLE "organization" ALTER COLUMN "match_on_registration" SET DEFAULT true;

-- People who were born on one day.
CREATE INDEX "patient_organization_id_birth_date_idx" ON "patient"("organization_id", "birth_date");

-- A folded name without blanks, hyphens and apostrophes: O'Hara, O Hara and OHara are one, and so are Smith-Jones and Smith Jones.
CREATE FUNCTION without_separators(name text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN translate(name, E' \t\u00a0-\u2010\u2011\u2012\u2013\u2014''\u2018\u2019\u02bc\u00b4`', '');

-- The whole name of each listed chart, for registrations that look for the same person.
CREATE INDEX patient_name_key_match_idx ON patient_name_key (organization_id, without_separators(last_key), without_separators(first_key)) WHERE ordinal = 1;
