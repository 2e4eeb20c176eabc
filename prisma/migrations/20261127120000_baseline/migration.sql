-- The whole schema of the database: types, the tables of each area of prisma/schema with their indexes and checks, foreign keys,
-- functions and triggers, the partitions of the logs, and the job queue.

CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE EXTENSION IF NOT EXISTS unaccent;

-- Types

CREATE TYPE registration_policy AS ENUM ('open', 'strict');
CREATE TYPE visit_change_notice AS ENUM ('none', 'text', 'email');
CREATE TYPE visits_of_deceased AS ENUM ('cancel', 'keep');
CREATE TYPE double_booking_policy AS ENUM ('allow', 'refuse');
CREATE TYPE monitoring_readings AS ENUM ('device', 'any');
CREATE TYPE monitoring_period AS ENUM ('calendar_month', 'thirty_days');
CREATE TYPE clinicals_mode AS ENUM ('ON', 'OFF', 'DOCUMENTSONLY', 'ADMINONLY');
CREATE TYPE user_type AS ENUM ('admin', 'provider', 'staff', 'interface');
CREATE TYPE patient_status AS ENUM ('active', 'inactive', 'prospective', 'deleted');
CREATE TYPE portal_holder AS ENUM ('PATIENT', 'FAMILY');
CREATE TYPE restriction_kind AS ENUM ('record', 'blocked', 'portal');
CREATE TYPE visit_modality AS ENUM ('in_person', 'video');
CREATE TYPE appointment_status AS ENUM ('scheduled', 'arrived', 'roomed', 'in_progress', 'checked_out', 'completed', 'no_show', 'cancelled');
CREATE TYPE confirmation_answer AS ENUM ('Pending', 'Yes', 'No');
CREATE TYPE waitlist_priority AS ENUM ('HIGH', 'NORMAL', 'LOW');
CREATE TYPE waitlist_status AS ENUM ('waiting', 'booked', 'ended');
CREATE TYPE offer_state AS ENUM ('open', 'accepted', 'declined', 'expired', 'withdrawn');
CREATE TYPE phone_number_kind AS ENUM ('plain', 'fax', 'voice_pager');
CREATE TYPE phone_number_state AS ENUM ('ordered', 'active', 'failed', 'releasing', 'released');
CREATE TYPE number_registration AS ENUM ('unknown', 'unregistered', 'pending', 'registered');
CREATE TYPE message_state AS ENUM ('queued', 'sent', 'delivered', 'failed', 'suppressed', 'received');
CREATE TYPE message_direction AS ENUM ('outbound', 'inbound');
CREATE TYPE text_question_state AS ENUM ('open', 'answered', 'closed');
CREATE TYPE monitoring_service AS ENUM ('rpm', 'rtm_respiratory', 'rtm_musculoskeletal', 'rtm_cognitive_behavioral');
CREATE TYPE item_kind AS ENUM ('physiologic', 'respiratory', 'musculoskeletal', 'cognitive_behavioral');
CREATE TYPE session_kind AS ENUM ('app', 'page');
CREATE TYPE account_link_kind AS ENUM ('reset', 'invitation');
CREATE TYPE client_kind AS ENUM ('machine', 'app');
CREATE TYPE "SecondFactorPolicy" AS ENUM ('optional', 'required_for_admins', 'required');
CREATE TYPE event_dialect AS ENUM ('integration', 'practice', 'mobile');
CREATE TYPE webhook_switch_off AS ENUM ('gone', 'failing');
CREATE TYPE webhook_delivery_state AS ENUM ('pending', 'delivered', 'dead');
CREATE TYPE change_feed AS ENUM ('patients', 'appointments', 'providers');

-- Functions that columns, checks and indexes use

-- The order of the logs. Transaction ids start low again when a database is restored into a new cluster; the offset is
-- raised then (src/database/migrations/migrations.ts), so that later entries still follow all earlier ones.
CREATE TABLE log_epoch (
  id boolean DEFAULT true NOT NULL,
  transaction_offset bigint DEFAULT 0 NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT log_epoch_one_row CHECK (id)
);
INSERT INTO log_epoch DEFAULT VALUES;

-- Functions as texts: an engine that distributes tables sends them to its nodes in this form, and in no other. A text is read when it
-- runs, so each name in it has its schema.
DO $$
DECLARE
  here text := quote_ident(current_schema());
BEGIN
  -- The running transaction's position in the order of the logs.
  EXECUTE format($f$
    CREATE FUNCTION log_transaction() RETURNS bigint LANGUAGE sql VOLATILE AS
    $body$ SELECT (pg_current_xact_id()::text)::bigint + (SELECT transaction_offset FROM %1$s.log_epoch) $body$ $f$, here);

  -- All transactions below this position have ended, so nothing can be added there. Readers of the logs stay below it.
  EXECUTE format($f$
    CREATE FUNCTION log_horizon() RETURNS bigint LANGUAGE sql STABLE AS
    $body$ SELECT (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint + (SELECT transaction_offset FROM %1$s.log_epoch) $body$ $f$, here);
END $$;

-- fold() and without_separators() agree with src/domain/values/same-text.ts, which says what is the same to a person.
CREATE FUNCTION fold(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN octet_length(value) = char_length(value) THEN lower(value) ELSE normalize(
    replace(replace(replace(replace(translate(
      -- Accents, vowel signs that people leave out, and what is invisible.
      regexp_replace(lower(normalize(value, NFKD)), '[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff\u0951-\u0954\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1add\u1ae0-\u1aeb\u1cd0-\u1cd2\u1cd4-\u1ce0\u1ce2-\u1ce8\u1ced\u1cf4\u1cf8\u1cf9\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20f0\u2de0-\u2dff\u302a-\u302d\u3164\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff0-\ufff8\U000101fd\U000102e0\U00010efa-\U00010eff\U0001133b\U0001bca0-\U0001bca3\U0001cf00-\U0001cf2d\U0001cf30-\U0001cf46\U0001d167-\U0001d169\U0001d173-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001e08f\U000e0000-\U000e0fff]', '', 'g'),
      'øđðłħŧıς', 'oddlhtiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), NFC) END
$$;

-- Without blanks, hyphens, apostrophes and quotes: O'Hara, O Hara and OHara are one, and so are Smith-Jones and Smith Jones.
CREATE FUNCTION without_separators(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(name, '[\u0009-\u000d ''\u002d`"\u0085\u00a0\u00ab\u00b4\u00bb\u02b9\u02bb-\u02bf\u02c8\u058a\u05be\u1400\u1680\u1806\u2000-\u200a\u2010-\u2015\u2018-\u201f\u2028\u2029\u202f\u2032\u2039\u203a\u2043\u205f\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u3000\u300c-\u300f\u301c-\u301f\u3030\u30a0\ufe31\ufe32\ufe58\ufe63\uff02\uff07\uff0d\U00010d6e\U00010ead]', '', 'g')
$$;

-- ==== Practices: tables

CREATE TABLE organization (
  id serial,
  name text NOT NULL,
  time_zone text NOT NULL,
  phone text,
  email text,
  website text,
  address1 text,
  address2 text,
  city text,
  state text,
  zip text,
  go_live_date date,
  experience_mode text,
  is_coordinator_sender boolean DEFAULT false NOT NULL,
  is_coordinator_receiver boolean DEFAULT false NOT NULL,
  has_clinicals boolean DEFAULT true NOT NULL,
  has_communicator boolean DEFAULT false NOT NULL,
  has_collector boolean DEFAULT false NOT NULL,
  is_enterprise boolean DEFAULT false NOT NULL,
  has_medication_history boolean DEFAULT false NOT NULL,
  registration_policy registration_policy DEFAULT 'open' NOT NULL,
  match_on_registration boolean DEFAULT true NOT NULL,
  double_booking double_booking_policy DEFAULT 'allow' NOT NULL,
  decline_frees_slot boolean DEFAULT false NOT NULL,
  decline_sends_link boolean DEFAULT false NOT NULL,
  waitlist_offer_minutes int DEFAULT 30 NOT NULL,
  quiet_hours_start text DEFAULT '21:00' NOT NULL,
  quiet_hours_end text DEFAULT '08:00' NOT NULL,
  visit_change_notice visit_change_notice DEFAULT 'none' NOT NULL,
  visits_of_deceased visits_of_deceased DEFAULT 'cancel' NOT NULL,
  minor_until int DEFAULT 18 NOT NULL,
  inbox_escalation_minutes int DEFAULT 15 NOT NULL,
  monitoring_readings monitoring_readings DEFAULT 'device' NOT NULL,
  records_visits boolean DEFAULT true NOT NULL,
  monitoring_period monitoring_period DEFAULT 'calendar_month' NOT NULL,
  default_appointment_length int DEFAULT 30 NOT NULL,
  language_id text DEFAULT 'en' NOT NULL,
  active boolean DEFAULT true NOT NULL,
  key text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT organization_inbox_escalation_minutes_check CHECK (inbox_escalation_minutes BETWEEN 1 AND 1440)
);
CREATE UNIQUE INDEX organization_key_key ON organization (key);

CREATE TABLE item_key (
  organization_id int NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  item_id int NOT NULL,
  PRIMARY KEY (organization_id, kind, key)
);
CREATE UNIQUE INDEX item_key_organization_id_kind_item_id_key ON item_key (organization_id, kind, item_id);

-- The colour and the logo that a practice's pages show. Beside the practice and not in it, since only pages read a logo.
CREATE TABLE organization_look (
  organization_id int NOT NULL,
  colour text,
  logo bytea,
  logo_hash text,
  logo_width int,
  logo_height int,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id)
);

CREATE TABLE provider_group (
  organization_id int NOT NULL,
  id serial,
  name text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE office (
  organization_id int NOT NULL,
  id serial,
  provider_group_id int,
  name text NOT NULL,
  patient_department_name text,
  time_zone text NOT NULL,
  address1 text,
  address2 text,
  city text,
  state text,
  zip text,
  latitude numeric(9,6),
  longitude numeric(9,6),
  phone text,
  fax text,
  portal_url text,
  clinicals clinicals_mode DEFAULT 'ON' NOT NULL,
  chart_sharing_group_id int,
  communicator_brand_id int,
  place_of_service_type_id text,
  place_of_service_type_name text,
  place_of_service_facility boolean DEFAULT false NOT NULL,
  single_appointment_contract_max numeric(12,2),
  one_year_contract_max numeric(12,2),
  credit_card_types text[] DEFAULT ARRAY[]::text[],
  ecommerce_credit_card_types text[] DEFAULT ARRAY[]::text[],
  medication_history_consent boolean DEFAULT false NOT NULL,
  is_hospital_department boolean DEFAULT false NOT NULL,
  is_service_department boolean DEFAULT true NOT NULL,
  hidden_in_portal boolean DEFAULT false NOT NULL,
  active boolean DEFAULT true NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX office_organization_id_provider_group_id_idx ON office (organization_id, provider_group_id);

CREATE TABLE location (
  organization_id int NOT NULL,
  id serial,
  office_id int,
  name text NOT NULL,
  phone text,
  address1 text,
  address2 text,
  city text,
  state text,
  zip text,
  active boolean DEFAULT true NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX location_organization_id_office_id_idx ON location (organization_id, office_id);

CREATE TABLE waiting_room (
  organization_id int NOT NULL,
  id serial,
  office_id int,
  user_id int,
  name text NOT NULL,
  active boolean DEFAULT true NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX waiting_room_organization_id_office_id_idx ON waiting_room (organization_id, office_id);
CREATE INDEX waiting_room_organization_id_user_id_idx ON waiting_room (organization_id, user_id);

CREATE TABLE "user" (
  organization_id int NOT NULL,
  id serial,
  type user_type NOT NULL,
  first_name text NOT NULL,
  last_name text NOT NULL,
  email text,
  phone text,
  language_id text DEFAULT 'en' NOT NULL,
  active boolean DEFAULT true NOT NULL,
  verified boolean DEFAULT true NOT NULL,
  chat_status text DEFAULT 'offline' NOT NULL,
  telehealth_availability boolean DEFAULT true NOT NULL,
  receive_push_notices boolean DEFAULT true NOT NULL,
  terms_accepted boolean DEFAULT false NOT NULL,
  five_minute_check_in boolean DEFAULT false NOT NULL,
  five_minute_check_in_type text,
  privacy_officer boolean DEFAULT false NOT NULL,
  charts_open_until timestamptz(3),
  sign_in_epoch int DEFAULT 0 NOT NULL,
  last_seen_at timestamptz(3),
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX user_organization_id_last_name_first_name_idx ON "user" (organization_id, last_name, first_name);

CREATE TABLE provider (
  organization_id int NOT NULL,
  id serial,
  user_id int,
  supervising_provider_id int,
  home_office_id int,
  npi text,
  first_name text NOT NULL,
  last_name text NOT NULL,
  display_name text,
  scheduling_name text,
  username text,
  entity_type text DEFAULT 'Person' NOT NULL,
  provider_type_id text,
  provider_type_name text,
  specialty text,
  specialty_id int,
  ansi_specialty_code text,
  ansi_name_code text,
  federal_id_number text,
  sex text,
  personal_pronouns text,
  direct_address text,
  schedule_resource_type text,
  billable boolean DEFAULT true NOT NULL,
  accepting_new_patients boolean DEFAULT true NOT NULL,
  create_encounter_on_check_in boolean DEFAULT true NOT NULL,
  hidden_in_portal boolean DEFAULT false NOT NULL,
  other_provider_ids int[] DEFAULT ARRAY[]::int[],
  create_encounter_provider_ids int[] DEFAULT ARRAY[]::int[],
  provider_group_ids int[] DEFAULT ARRAY[]::int[],
  active boolean DEFAULT true NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX provider_organization_id_home_office_id_idx ON provider (organization_id, home_office_id);
CREATE INDEX provider_organization_id_last_name_first_name_idx ON provider (organization_id, last_name, first_name);
CREATE UNIQUE INDEX provider_organization_id_npi_key ON provider (organization_id, npi);
CREATE INDEX provider_organization_id_supervising_provider_id_idx ON provider (organization_id, supervising_provider_id);
CREATE INDEX provider_organization_id_user_id_idx ON provider (organization_id, user_id);

CREATE TABLE provider_office (
  organization_id int NOT NULL,
  provider_id int NOT NULL,
  office_id int NOT NULL,
  PRIMARY KEY (organization_id, provider_id, office_id)
);
CREATE INDEX provider_office_organization_id_office_id_idx ON provider_office (organization_id, office_id);

-- ==== Patients: tables

CREATE TABLE patient (
  organization_id int NOT NULL,
  id serial,
  status patient_status DEFAULT 'active' NOT NULL,
  medical_record_no text,
  external_id text,
  enterprise_id int,
  merged_into_id int,
  restricted boolean DEFAULT false NOT NULL,
  first_name text,
  middle_name text,
  last_name text,
  suffix text,
  preferred_name text,
  alt_first_name text,
  preferred_pronouns text,
  first_name_folded text COLLATE "C" GENERATED ALWAYS AS (fold(COALESCE(first_name, last_name))) STORED,
  last_name_folded text COLLATE "C" GENERATED ALWAYS AS (fold(COALESCE(last_name, first_name))) STORED,
  sex text,
  assigned_sex_at_birth text,
  gender_identity text,
  gender_identity_other text,
  sexual_orientation text,
  sexual_orientation_other text,
  birth_date date,
  deceased_date date,
  admit_date date,
  registration_date date,
  marital_status text,
  races text[] DEFAULT ARRAY[]::text[],
  ethnicity_code text,
  language_code text,
  language_offer_id bigint,
  ssn_encrypted text,
  ssn_hash bytea,
  ssn_last_four text,
  address1 text,
  address2 text,
  city text,
  state text,
  zip text,
  country_code text,
  country_code_3166 text,
  home_phone text,
  mobile_phone text,
  mobile_phone_declined boolean DEFAULT false NOT NULL,
  work_phone text,
  email text,
  email_declined boolean DEFAULT false NOT NULL,
  last_email text,
  contact_preference text,
  time_zone text,
  do_not_call boolean DEFAULT false NOT NULL,
  do_not_sms boolean DEFAULT false NOT NULL,
  texts_stopped boolean DEFAULT false NOT NULL,
  homebound boolean DEFAULT false NOT NULL,
  contact_name text,
  contact_relationship text,
  contact_home_phone text,
  contact_mobile_phone text,
  next_of_kin_name text,
  next_of_kin_relationship text,
  next_of_kin_phone text,
  guardian_first_name text,
  guardian_middle_name text,
  guardian_last_name text,
  guardian_suffix text,
  guarantor_first_name text,
  guarantor_middle_name text,
  guarantor_last_name text,
  guarantor_suffix text,
  guarantor_address_same_as_patient boolean,
  guarantor_address1 text,
  guarantor_address2 text,
  guarantor_city text,
  guarantor_state text,
  guarantor_zip text,
  guarantor_country_code text,
  guarantor_country_code_3166 text,
  guarantor_birth_date date,
  guarantor_ssn_encrypted text,
  guarantor_ssn_last_four text,
  guarantor_email text,
  guarantor_phone text,
  guarantor_relationship_to_patient text,
  guarantor_employer_id int,
  employer_id int,
  employer_phone text,
  industry_code text,
  occupation_code text,
  primary_office_id int,
  primary_provider_id int,
  location_id int,
  portal_terms_on_file boolean,
  portal_signature_on_file boolean,
  portal_access_given boolean,
  medication_history_consent_verified boolean,
  census boolean,
  flags text[] DEFAULT ARRAY[]::text[],
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT patient_guarantor_address_check CHECK (
    guarantor_address_same_as_patient IS NOT TRUE
    OR num_nonnulls(guarantor_address1, guarantor_address2, guarantor_city, guarantor_state, guarantor_zip,
                    guarantor_country_code, guarantor_country_code_3166) = 0)
);
-- Those whose visits no percentage counts are few.
CREATE INDEX patient_deceased_idx ON patient (organization_id, id) WHERE deceased_date IS NOT NULL;
-- Few records have one: the others cost the index nothing.
CREATE UNIQUE INDEX patient_external_id_key ON patient (organization_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX patient_guarantor_ssn_encrypted_key_idx ON patient (split_part(guarantor_ssn_encrypted, '.', 1)) WHERE guarantor_ssn_encrypted IS NOT NULL;
-- Monitored patients, in whichever case the flag was written.
CREATE INDEX patient_monitored_idx ON patient (organization_id, id)
  WHERE flags && '{RPM,RPm,RpM,Rpm,rPM,rPm,rpM,rpm}'::text[];
-- People who were born on one day.
CREATE INDEX patient_organization_id_birth_date_idx ON patient (organization_id, birth_date);
CREATE INDEX patient_organization_id_employer_id_idx ON patient (organization_id, employer_id);
CREATE INDEX patient_organization_id_enterprise_id_idx ON patient (organization_id, enterprise_id);
CREATE INDEX patient_organization_id_guarantor_employer_id_idx ON patient (organization_id, guarantor_employer_id);
CREATE INDEX patient_organization_id_home_phone_idx ON patient (organization_id, home_phone);
CREATE INDEX patient_organization_id_location_id_idx ON patient (organization_id, location_id);
CREATE UNIQUE INDEX patient_organization_id_medical_record_no_key ON patient (organization_id, medical_record_no);
CREATE INDEX patient_organization_id_merged_into_id_idx ON patient (organization_id, merged_into_id) WHERE merged_into_id IS NOT NULL;
CREATE INDEX patient_organization_id_mobile_phone_idx ON patient (organization_id, mobile_phone);
CREATE INDEX patient_organization_id_primary_office_id_id_idx ON patient (organization_id, primary_office_id, id);
CREATE INDEX patient_organization_id_primary_provider_id_idx ON patient (organization_id, primary_provider_id);
CREATE INDEX patient_organization_id_ssn_hash_idx ON patient (organization_id, ssn_hash);
-- Few charts are restricted: lists that also show them read these beside the name keys.
CREATE INDEX patient_restricted_idx ON patient (organization_id, id) WHERE restricted;
-- Which master keys the values of a column need: each start asks (src/startup/stored-keys.sql.ts). Only rows with a value
-- have an entry. Columns of tables that stay small have none.
CREATE INDEX patient_ssn_encrypted_key_idx ON patient (split_part(ssn_encrypted, '.', 1)) WHERE ssn_encrypted IS NOT NULL;

CREATE TABLE guardianship (
  organization_id int NOT NULL,
  patient_id int NOT NULL,
  guardian_patient_id int,
  guardian_contact_id int,
  relationship text,
  ends_at timestamptz(3),
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, patient_id)
);
CREATE INDEX guardianship_organization_id_guardian_contact_id_idx ON guardianship (organization_id, guardian_contact_id);
CREATE INDEX guardianship_organization_id_guardian_patient_id_idx ON guardianship (organization_id, guardian_patient_id);

CREATE TABLE patient_merge (
  organization_id int NOT NULL,
  id bigserial,
  patient_id int NOT NULL,
  from_patient_id int NOT NULL,
  from_status patient_status NOT NULL,
  fields jsonb NOT NULL,
  took_record_number boolean DEFAULT false NOT NULL,
  moved jsonb NOT NULL,
  merged_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  undone_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX patient_merge_organization_id_from_patient_id_idx ON patient_merge (organization_id, from_patient_id);
CREATE INDEX patient_merge_organization_id_patient_id_idx ON patient_merge (organization_id, patient_id);

CREATE TABLE patient_name_key (
  organization_id int NOT NULL,
  patient_id int NOT NULL,
  ordinal int NOT NULL,
  last_key text COLLATE "C" NOT NULL,
  first_key text COLLATE "C" NOT NULL,
  office_id int,
  shared_length int NOT NULL,
  PRIMARY KEY (organization_id, patient_id, ordinal)
);
CREATE INDEX patient_name_key_first_idx ON patient_name_key (organization_id, first_key, last_key, patient_id) INCLUDE (office_id) WHERE ordinal = 1;
-- Each search reads one range of one of these, in the order of its answer, and counts without reading the table. The first
-- does not contain the office, and the last has no row without one: the planner would otherwise take one for the other.
CREATE INDEX patient_name_key_last_idx ON patient_name_key (organization_id, last_key, first_key, patient_id) INCLUDE (shared_length);
CREATE INDEX patient_name_key_office_idx ON patient_name_key (organization_id, office_id, last_key, first_key, patient_id) INCLUDE (shared_length) WHERE office_id IS NOT NULL;

CREATE TABLE patient_registration (
  organization_id int NOT NULL,
  patient_id int NOT NULL,
  office_id int NOT NULL,
  provider_group_id int,
  primary_provider_id int,
  local_patient_id int,
  registered_on date NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, patient_id, office_id)
);
CREATE INDEX patient_registration_organization_id_office_id_patient_id_idx ON patient_registration (organization_id, office_id, patient_id);
CREATE INDEX patient_registration_organization_id_primary_provider_id_idx ON patient_registration (organization_id, primary_provider_id);
CREATE INDEX patient_registration_organization_id_provider_group_id_idx ON patient_registration (organization_id, provider_group_id);

CREATE TABLE employer (
  organization_id int NOT NULL,
  id serial,
  name text NOT NULL,
  phone text,
  address text,
  city text,
  state text,
  zip text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX employer_organization_id_name_idx ON employer (organization_id, name);

CREATE TABLE insurance_package (
  organization_id int NOT NULL,
  number int NOT NULL,
  plan_name text NOT NULL,
  type text,
  irc_name text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, number)
);

CREATE TABLE insurance (
  organization_id int NOT NULL,
  id serial,
  patient_id int NOT NULL,
  insurance_package_id int,
  sequence_number int NOT NULL,
  id_number text,
  plan_name text,
  type text,
  irc_name text,
  group_number text,
  relationship_to_insured text,
  relationship_to_insured_id int,
  eligibility_status text,
  eligibility_reason text,
  eligibility_checked_on date,
  issued_on date,
  expires_on date,
  cancelled_on date,
  policy_holder jsonb,
  insured jsonb,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX insurance_organization_id_insurance_package_id_idx ON insurance (organization_id, insurance_package_id);
CREATE INDEX insurance_organization_id_patient_id_sequence_number_idx ON insurance (organization_id, patient_id, sequence_number);
-- Of the insurances of a patient that are not cancelled, one has a place.
CREATE UNIQUE INDEX insurance_place_key ON insurance (organization_id, patient_id, sequence_number) WHERE cancelled_on IS NULL;

CREATE TABLE chart_image (
  organization_id int NOT NULL,
  patient_id int NOT NULL,
  insurance_id int NOT NULL,
  media_type text NOT NULL,
  content bytea NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, patient_id, insurance_id)
);

CREATE TABLE balance (
  organization_id int NOT NULL,
  patient_id int NOT NULL,
  provider_group_id int NOT NULL,
  amount numeric(12,2) NOT NULL,
  collections_amount numeric(12,2) DEFAULT 0 NOT NULL,
  payment_plan_amount numeric(12,2) DEFAULT 0 NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, patient_id, provider_group_id)
);
CREATE INDEX balance_organization_id_provider_group_id_idx ON balance (organization_id, provider_group_id);

CREATE TABLE balance_contract (
  organization_id int NOT NULL,
  id serial,
  patient_id int NOT NULL,
  provider_group_id int NOT NULL,
  contract_class text NOT NULL,
  max_amount numeric(12,2) NOT NULL,
  available_amount numeric(12,2) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX balance_contract_organization_id_patient_id_provider_group__idx ON balance_contract (organization_id, patient_id, provider_group_id);

CREATE TABLE claim (
  organization_id int NOT NULL,
  id bigserial,
  patient_id int NOT NULL,
  provider_group_id int NOT NULL,
  service_date date NOT NULL,
  description text,
  charge_amount numeric(12,2) NOT NULL,
  outstanding_patient numeric(12,2) DEFAULT 0 NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX claim_organization_id_patient_id_service_date_idx ON claim (organization_id, patient_id, service_date);

CREATE TABLE custom_field (
  organization_id int NOT NULL,
  id serial,
  name text NOT NULL,
  type text DEFAULT 'text' NOT NULL,
  options jsonb,
  active boolean DEFAULT true NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX custom_field_organization_id_name_key ON custom_field (organization_id, name);

CREATE TABLE patient_custom_field (
  organization_id int NOT NULL,
  patient_id int NOT NULL,
  custom_field_id int NOT NULL,
  value text,
  option_id int,
  PRIMARY KEY (organization_id, patient_id, custom_field_id)
);
CREATE INDEX patient_custom_field_organization_id_custom_field_id_idx ON patient_custom_field (organization_id, custom_field_id);

CREATE TABLE portal_account (
  organization_id int NOT NULL,
  id serial,
  patient_id int NOT NULL,
  holder portal_holder NOT NULL,
  registered_at timestamptz(3),
  last_login_at timestamptz(3),
  failed_logins int DEFAULT 0 NOT NULL,
  blocked_at timestamptz(3),
  terms_accepted_at timestamptz(3),
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX portal_account_organization_id_patient_id_holder_key ON portal_account (organization_id, patient_id, holder);

CREATE TABLE privacy_restriction (
  organization_id int NOT NULL,
  id serial,
  patient_id int NOT NULL,
  kind restriction_kind NOT NULL,
  reason text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  lifted_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX privacy_restriction_organization_id_patient_id_idx ON privacy_restriction (organization_id, patient_id);

CREATE TABLE chart_opening (
  organization_id int NOT NULL,
  id bigserial,
  user_id int NOT NULL,
  patient_id int,
  reason text NOT NULL,
  opened_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  closed_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX chart_opening_organization_id_patient_id_idx ON chart_opening (organization_id, patient_id);
CREATE INDEX chart_opening_organization_id_user_id_opened_at_idx ON chart_opening (organization_id, user_id, opened_at);

CREATE TABLE privacy_item (
  organization_id int NOT NULL,
  patient_id int NOT NULL,
  kind text NOT NULL,
  verified boolean NOT NULL,
  verified_on date,
  expires_on date,
  PRIMARY KEY (organization_id, patient_id, kind)
);

-- ==== Scheduling: tables

CREATE TABLE appointment_type (
  organization_id int NOT NULL,
  id serial,
  name text NOT NULL,
  description text,
  duration_minutes int,
  active boolean DEFAULT true NOT NULL,
  is_global boolean DEFAULT false NOT NULL,
  buffer_before int DEFAULT 0 NOT NULL,
  buffer_after int DEFAULT 0 NOT NULL,
  lead_minutes int DEFAULT 0 NOT NULL,
  latest_days int,
  modality visit_modality DEFAULT 'in_person' NOT NULL,
  capacity int DEFAULT 1 NOT NULL,
  bookable_by text[] DEFAULT ARRAY['staff', 'apps', 'patient']::text[],
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX appointment_type_global_idx ON appointment_type (id) WHERE is_global;

CREATE TABLE appointment (
  organization_id int NOT NULL,
  id bigserial,
  external_id text,
  patient_id int,
  type_organization_id int,
  type_id int,
  own_type_id int GENERATED ALWAYS AS (CASE WHEN type_organization_id = organization_id THEN type_id END) STORED,
  office_id int,
  location_id int,
  waiting_room_id int,
  provider_id int,
  starts_at timestamptz(3),
  ends_at timestamptz(3),
  local_start timestamp(3),
  time_zone text NOT NULL,
  duration_minutes int NOT NULL,
  status appointment_status DEFAULT 'scheduled' NOT NULL,
  confirmation confirmation_answer DEFAULT 'Pending' NOT NULL,
  confirmed_at timestamptz(3),
  confirmed_by text,
  initial_sms_sent boolean,
  show_on_tasks boolean DEFAULT true NOT NULL,
  frozen boolean DEFAULT false NOT NULL,
  created_by_user_id int,
  booked_at timestamptz(3),
  booked_by_user_id int,
  rescheduled_at timestamptz(3),
  undated_at timestamptz(3),
  cancelled_at timestamptz(3),
  check_in_started_at timestamptz(3),
  status_changes jsonb DEFAULT '[]' NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT appointment_time_check CHECK (
    num_nulls(starts_at, ends_at, local_start) IN (0, 3) AND (starts_at IS NULL OR ends_at > starts_at) AND duration_minutes > 0),
  CONSTRAINT appointment_type_owner_check CHECK ((type_id IS NULL) = (type_organization_id IS NULL))
);
-- Few have one: most are booked as they are made.
CREATE INDEX appointment_booked_by_idx ON appointment (organization_id, booked_by_user_id) WHERE booked_by_user_id IS NOT NULL;
-- Few records have one: the others cost the index nothing.
CREATE UNIQUE INDEX appointment_external_id_key ON appointment (organization_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX appointment_global_type_idx ON appointment (type_organization_id, type_id) WHERE own_type_id IS NULL AND type_id IS NOT NULL;
CREATE INDEX appointment_organization_id_created_by_user_id_idx ON appointment (organization_id, created_by_user_id);
CREATE INDEX appointment_organization_id_location_id_idx ON appointment (organization_id, location_id);
CREATE INDEX appointment_organization_id_office_id_starts_at_id_idx ON appointment (organization_id, office_id, starts_at, id)
  INCLUDE (status, confirmation, show_on_tasks, type_id, location_id);
CREATE INDEX appointment_organization_id_own_type_id_idx ON appointment (organization_id, own_type_id);
CREATE INDEX appointment_organization_id_patient_id_starts_at_idx ON appointment (organization_id, patient_id, starts_at);
CREATE INDEX appointment_organization_id_provider_id_starts_at_idx ON appointment (organization_id, provider_id, starts_at);
CREATE INDEX appointment_organization_id_starts_at_id_idx ON appointment (organization_id, starts_at, id)
  INCLUDE (status, confirmation, show_on_tasks, type_id, location_id);
CREATE INDEX appointment_organization_id_waiting_room_id_idx ON appointment (organization_id, waiting_room_id);

CREATE TABLE user_appointment (
  organization_id int NOT NULL,
  id bigserial,
  user_id int NOT NULL,
  appointment_id bigint NOT NULL,
  starts_at timestamptz(3),
  ends_at timestamptz(3),
  exclusive boolean DEFAULT false NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT user_appointment_no_overlap EXCLUDE USING gist (organization_id WITH =, user_id WITH =, tstzrange(starts_at, ends_at) WITH &&) WHERE ((exclusive AND (starts_at IS NOT NULL)))
);
CREATE UNIQUE INDEX user_appointment_organization_id_appointment_id_user_id_key ON user_appointment (organization_id, appointment_id, user_id);
CREATE INDEX user_appointment_organization_id_user_id_starts_at_appointm_idx ON user_appointment (organization_id, user_id, starts_at, appointment_id);

CREATE TABLE appointment_reminder (
  organization_id int NOT NULL,
  appointment_id bigint NOT NULL,
  kind text NOT NULL,
  due_at timestamptz(3) NOT NULL,
  sent_at timestamptz(3),
  PRIMARY KEY (organization_id, appointment_id, kind)
);
CREATE INDEX appointment_reminder_due_at_idx ON appointment_reminder (due_at);

CREATE TABLE availability (
  organization_id int NOT NULL,
  id serial,
  provider_id int NOT NULL,
  office_id int NOT NULL,
  weekday int NOT NULL,
  from_minute int NOT NULL,
  until_minute int NOT NULL,
  starts_on date,
  ends_on date,
  type_ids int[] DEFAULT ARRAY[]::int[],
  capacity int,
  bookable_by text[] DEFAULT ARRAY['staff', 'apps', 'patient']::text[],
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX availability_organization_id_office_id_idx ON availability (organization_id, office_id);
CREATE INDEX availability_organization_id_provider_id_idx ON availability (organization_id, provider_id);

CREATE TABLE availability_exception (
  organization_id int NOT NULL,
  id serial,
  provider_id int,
  office_id int,
  from_local timestamp(3) NOT NULL,
  until_local timestamp(3) NOT NULL,
  available boolean DEFAULT false NOT NULL,
  reason text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX availability_exception_organization_id_office_id_idx ON availability_exception (organization_id, office_id);
CREATE INDEX availability_exception_organization_id_provider_id_idx ON availability_exception (organization_id, provider_id);
CREATE INDEX availability_exception_organization_id_until_local_idx ON availability_exception (organization_id, until_local);

CREATE TABLE slot (
  organization_id int NOT NULL,
  id bigint DEFAULT nextval('appointment_id_seq') NOT NULL,
  provider_id int NOT NULL,
  office_id int NOT NULL,
  type_id int NOT NULL,
  starts_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  capacity int NOT NULL,
  shown_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX slot_organization_id_office_id_idx ON slot (organization_id, office_id);
CREATE UNIQUE INDEX slot_organization_id_provider_id_starts_at_office_id_type_i_key ON slot (organization_id, provider_id, starts_at, office_id, type_id);

-- Claims of different slots of one provider never overlap; those of one slot have different seats.
CREATE TABLE slot_claim (
  organization_id int NOT NULL,
  id bigserial,
  slot_id bigint NOT NULL,
  seat int NOT NULL,
  provider_id int NOT NULL,
  busy_from timestamptz(3) NOT NULL,
  busy_until timestamptz(3) NOT NULL,
  holder text NOT NULL,
  expires_at timestamptz(3),
  appointment_id bigint,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT slot_claim_no_overlap EXCLUDE USING gist (organization_id WITH =, provider_id WITH =, slot_id WITH <>, tstzrange(busy_from, busy_until) WITH &&)
);
CREATE INDEX slot_claim_organization_id_appointment_id_idx ON slot_claim (organization_id, appointment_id);
CREATE UNIQUE INDEX slot_claim_organization_id_slot_id_seat_key ON slot_claim (organization_id, slot_id, seat);

CREATE TABLE appointment_note (
  organization_id int NOT NULL,
  id bigserial,
  appointment_id bigint NOT NULL,
  text text NOT NULL,
  display_on_schedule boolean DEFAULT false NOT NULL,
  created_by_user_id int,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX appointment_note_organization_id_appointment_id_id_idx ON appointment_note (organization_id, appointment_id, id);
CREATE INDEX appointment_note_organization_id_created_by_user_id_idx ON appointment_note (organization_id, created_by_user_id);

CREATE TABLE recall (
  organization_id int NOT NULL,
  id bigserial,
  patient_id int NOT NULL,
  office_id int NOT NULL,
  provider_id int,
  type_id int,
  approximate_date date NOT NULL,
  note text,
  patient_instructions text,
  staff_instructions text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  deleted_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX recall_organization_id_office_id_approximate_date_id_idx ON recall (organization_id, office_id, approximate_date, id);
CREATE INDEX recall_organization_id_patient_id_idx ON recall (organization_id, patient_id);
CREATE INDEX recall_organization_id_provider_id_idx ON recall (organization_id, provider_id);

-- ==== Booking: tables

CREATE TABLE waitlist_entry (
  organization_id int NOT NULL,
  id bigserial,
  patient_id int NOT NULL,
  type_id int NOT NULL,
  provider_id int,
  office_id int,
  priority waitlist_priority DEFAULT 'NORMAL' NOT NULL,
  weekdays int[] DEFAULT ARRAY[]::int[],
  from_minute int DEFAULT 0 NOT NULL,
  until_minute int DEFAULT 1440 NOT NULL,
  earliest date,
  latest date,
  waits_until date,
  channel text,
  note text,
  appointment_id bigint,
  status waitlist_status DEFAULT 'waiting' NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX waitlist_entry_organization_id_appointment_id_idx ON waitlist_entry (organization_id, appointment_id);
CREATE INDEX waitlist_entry_organization_id_office_id_idx ON waitlist_entry (organization_id, office_id);
CREATE INDEX waitlist_entry_organization_id_patient_id_idx ON waitlist_entry (organization_id, patient_id);
CREATE INDEX waitlist_entry_organization_id_provider_id_idx ON waitlist_entry (organization_id, provider_id);
CREATE INDEX waitlist_entry_organization_id_status_priority_created_at_i_idx ON waitlist_entry (organization_id, status, priority, created_at, id);

CREATE TABLE freed_time (
  organization_id int NOT NULL,
  id bigserial,
  provider_id int NOT NULL,
  patient_id int,
  starts_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  due_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX freed_time_due_at_idx ON freed_time (due_at);
CREATE INDEX freed_time_organization_id_patient_id_idx ON freed_time (organization_id, patient_id);
CREATE INDEX freed_time_organization_id_provider_id_idx ON freed_time (organization_id, provider_id);

CREATE TABLE slot_offer (
  organization_id int NOT NULL,
  id bigserial,
  entry_id bigint NOT NULL,
  patient_id int NOT NULL,
  freed_time_id bigint,
  hold_id bigint NOT NULL,
  slot_id bigint NOT NULL,
  provider_id int NOT NULL,
  starts_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  time_zone text NOT NULL,
  state offer_state DEFAULT 'open' NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  answered_at timestamptz(3),
  appointment_id bigint,
  link_id bigint NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- A patient is asked about one time at once, so that a Yes is clear.
CREATE UNIQUE INDEX slot_offer_open ON slot_offer (organization_id, patient_id) WHERE state = 'open';
CREATE INDEX slot_offer_organization_id_appointment_id_idx ON slot_offer (organization_id, appointment_id);
CREATE INDEX slot_offer_organization_id_created_at_idx ON slot_offer (organization_id, created_at);
CREATE INDEX slot_offer_organization_id_entry_id_idx ON slot_offer (organization_id, entry_id);
CREATE INDEX slot_offer_organization_id_freed_time_id_idx ON slot_offer (organization_id, freed_time_id);
CREATE INDEX slot_offer_organization_id_link_id_idx ON slot_offer (organization_id, link_id);
CREATE INDEX slot_offer_organization_id_patient_id_idx ON slot_offer (organization_id, patient_id);
CREATE INDEX slot_offer_organization_id_provider_id_starts_at_idx ON slot_offer (organization_id, provider_id, starts_at);

CREATE TABLE booking_link (
  organization_id int NOT NULL,
  id bigserial,
  patient_id int NOT NULL,
  type_ids int[] DEFAULT ARRAY[]::int[],
  provider_ids int[] DEFAULT ARRAY[]::int[],
  office_ids int[] DEFAULT ARRAY[]::int[],
  link_hash bytea NOT NULL,
  appointment_id bigint,
  channel text,
  due_at timestamptz(3),
  sms_message_id bigint,
  mail_message_id bigint,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX booking_link_due_at_idx ON booking_link (due_at);
CREATE INDEX booking_link_organization_id_appointment_id_idx ON booking_link (organization_id, appointment_id);
CREATE UNIQUE INDEX booking_link_organization_id_link_hash_key ON booking_link (organization_id, link_hash);
CREATE INDEX booking_link_organization_id_mail_message_id_idx ON booking_link (organization_id, mail_message_id);
CREATE INDEX booking_link_organization_id_patient_id_idx ON booking_link (organization_id, patient_id);
CREATE INDEX booking_link_organization_id_sms_message_id_idx ON booking_link (organization_id, sms_message_id);

CREATE TABLE appointment_series (
  organization_id int NOT NULL,
  id bigserial,
  patient_id int NOT NULL,
  rule text NOT NULL,
  time_zone text NOT NULL,
  appointment_ids bigint[],
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX appointment_series_organization_id_patient_id_idx ON appointment_series (organization_id, patient_id);

-- ==== Messaging: tables

CREATE TABLE contact (
  organization_id int NOT NULL,
  id int DEFAULT nextval('patient_id_seq') NOT NULL,
  patient_id int,
  first_name text,
  last_name text,
  phone text,
  email text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  last_key text COLLATE "C" GENERATED ALWAYS AS (coalesce(without_separators(fold(last_name)), '')) STORED NOT NULL,
  first_key text COLLATE "C" GENERATED ALWAYS AS (coalesce(without_separators(fold(first_name)), '')) STORED NOT NULL,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT contact_patient_id_check CHECK (patient_id = id)
);
CREATE INDEX contact_first_idx ON contact (organization_id, first_key, last_key, id) WHERE patient_id IS NULL;
-- In the orders of patient_name_key, so that a page of both is a merge of two ranges.
CREATE INDEX contact_last_idx ON contact (organization_id, last_key, first_key, id) WHERE patient_id IS NULL;
-- An unknown number is one contact, however many texts from it arrive together.
CREATE UNIQUE INDEX contact_number_key ON contact (organization_id, phone) WHERE patient_id IS NULL;
CREATE UNIQUE INDEX contact_organization_id_patient_id_key ON contact (organization_id, patient_id);
CREATE INDEX contact_unknown_idx ON contact (organization_id, id) WHERE patient_id IS NULL;

CREATE TABLE contact_tag (
  organization_id int NOT NULL,
  id serial,
  name text NOT NULL,
  color text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX contact_tag_name_key ON contact_tag (organization_id, fold(name));

CREATE TABLE contact_contact_tag (
  organization_id int NOT NULL,
  id bigserial,
  contact_id int NOT NULL,
  contact_tag_id int NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX contact_contact_tag_organization_id_contact_id_contact_tag__key ON contact_contact_tag (organization_id, contact_id, contact_tag_id);
CREATE INDEX contact_contact_tag_organization_id_contact_tag_id_idx ON contact_contact_tag (organization_id, contact_tag_id);

CREATE TABLE chat (
  organization_id int NOT NULL,
  id serial,
  name text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE chat_member (
  organization_id int NOT NULL,
  chat_id int NOT NULL,
  user_id int NOT NULL,
  ring_order int NOT NULL,
  text_alerts boolean DEFAULT false NOT NULL,
  PRIMARY KEY (organization_id, chat_id, user_id)
);
CREATE INDEX chat_member_organization_id_user_id_idx ON chat_member (organization_id, user_id);

CREATE TABLE inbox_item (
  organization_id int NOT NULL,
  id bigserial,
  chat_id int,
  contact_id int,
  patient_id int,
  number text,
  entry_count int DEFAULT 1 NOT NULL,
  opened_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  latest_at timestamptz(3) NOT NULL,
  assigned_user_id int,
  waiting_entry_id bigint,
  escalate_at timestamptz(3),
  acknowledged_at timestamptz(3),
  acknowledged_by_user_id int,
  closed_at timestamptz(3),
  closed_by_user_id int,
  note text,
  urgent boolean DEFAULT false NOT NULL,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT inbox_item_contact_check CHECK (patient_id = contact_id),
  CONSTRAINT inbox_item_waiting_check CHECK (
    (acknowledged_at IS NULL OR waiting_entry_id IS NULL) AND (escalate_at IS NULL OR (waiting_entry_id IS NOT NULL AND closed_at IS NULL)))
);
-- What the escalation looks for every few seconds, in all organizations.
CREATE INDEX inbox_item_escalate_at_idx ON inbox_item (escalate_at) WHERE escalate_at IS NOT NULL;
-- The open ones, which are few beside those of years.
CREATE INDEX inbox_item_open_idx ON inbox_item (organization_id, latest_at, id) WHERE closed_at IS NULL;
-- One open item a conversation; callers without a number have no conversation.
CREATE UNIQUE INDEX inbox_item_open_key ON inbox_item (organization_id, coalesce(chat_id, 0), contact_id)
    WHERE closed_at IS NULL AND contact_id IS NOT NULL;
CREATE INDEX inbox_item_organization_id_acknowledged_by_user_id_idx ON inbox_item (organization_id, acknowledged_by_user_id);
CREATE INDEX inbox_item_organization_id_assigned_user_id_latest_at_id_idx ON inbox_item (organization_id, assigned_user_id, latest_at, id);
CREATE INDEX inbox_item_organization_id_chat_id_latest_at_id_idx ON inbox_item (organization_id, chat_id, latest_at, id);
CREATE INDEX inbox_item_organization_id_closed_by_user_id_idx ON inbox_item (organization_id, closed_by_user_id);
CREATE INDEX inbox_item_organization_id_latest_at_id_idx ON inbox_item (organization_id, latest_at, id);
CREATE INDEX inbox_item_organization_id_patient_id_idx ON inbox_item (organization_id, patient_id);

CREATE TABLE inbox_entry (
  organization_id int NOT NULL,
  id bigserial,
  inbox_item_id bigint NOT NULL,
  kind text NOT NULL,
  subject_type text NOT NULL,
  subject_id bigint NOT NULL,
  entered_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX inbox_entry_organization_id_inbox_item_id_id_idx ON inbox_entry (organization_id, inbox_item_id, id);

-- Who has a telephone number now: a number has one owner in the world, and the rows of practices may be on different nodes.
CREATE TABLE held_number (
  number text NOT NULL,
  organization_id int NOT NULL,
  phone_number_id int NOT NULL,
  PRIMARY KEY (number)
);
CREATE INDEX held_number_organization_id_phone_number_id_idx ON held_number (organization_id, phone_number_id);

CREATE TABLE phone_number (
  organization_id int NOT NULL,
  id serial,
  number text NOT NULL,
  kind phone_number_kind NOT NULL,
  chat_id int,
  state phone_number_state DEFAULT 'active' NOT NULL,
  failure text,
  attempts int DEFAULT 0 NOT NULL,
  carrier text,
  carrier_id text,
  registration number_registration DEFAULT 'unknown' NOT NULL,
  registration_due_at timestamptz(3),
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  releases_at timestamptz(3),
  released_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX phone_number_number_idx ON phone_number (number);
CREATE INDEX phone_number_organization_id_chat_id_idx ON phone_number (organization_id, chat_id);
-- Orders and releases that wait for the carrier.
CREATE INDEX phone_number_waiting_idx ON phone_number (attempts, id) WHERE state IN ('ordered', 'releasing');

CREATE TABLE incoming_call (
  organization_id int NOT NULL,
  id bigserial,
  phone_number_id int NOT NULL,
  chat_id int,
  carrier_call_id text NOT NULL,
  patient_id int,
  from_number text NOT NULL,
  to_number text NOT NULL,
  status text NOT NULL,
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX incoming_call_organization_id_carrier_call_id_key ON incoming_call (organization_id, carrier_call_id);
CREATE INDEX incoming_call_organization_id_chat_id_idx ON incoming_call (organization_id, chat_id);
CREATE INDEX incoming_call_organization_id_from_number_started_at_id_idx ON incoming_call (organization_id, from_number, started_at, id);
CREATE INDEX incoming_call_organization_id_patient_id_idx ON incoming_call (organization_id, patient_id);
CREATE INDEX incoming_call_organization_id_phone_number_id_idx ON incoming_call (organization_id, phone_number_id);
CREATE INDEX incoming_call_organization_id_started_at_id_idx ON incoming_call (organization_id, started_at, id);
CREATE INDEX incoming_call_organization_id_to_number_started_at_id_idx ON incoming_call (organization_id, to_number, started_at, id);

CREATE TABLE voice_pager_message (
  organization_id int NOT NULL,
  id bigserial,
  phone_number_id int NOT NULL,
  chat_id int,
  carrier_id text NOT NULL,
  patient_id int,
  from_number text NOT NULL,
  transcript text,
  duration_seconds int,
  recording_url text,
  recording_due_at timestamptz(3),
  recording_attempts int DEFAULT 0 NOT NULL,
  attachment_id bigint,
  received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX voice_pager_message_organization_id_attachment_id_idx ON voice_pager_message (organization_id, attachment_id);
CREATE UNIQUE INDEX voice_pager_message_organization_id_carrier_id_key ON voice_pager_message (organization_id, carrier_id);
CREATE INDEX voice_pager_message_organization_id_chat_id_received_at_idx ON voice_pager_message (organization_id, chat_id, received_at);
CREATE INDEX voice_pager_message_organization_id_patient_id_idx ON voice_pager_message (organization_id, patient_id);
CREATE INDEX voice_pager_message_organization_id_phone_number_id_receive_idx ON voice_pager_message (organization_id, phone_number_id, received_at);
CREATE INDEX voice_pager_message_recording_due_idx ON voice_pager_message (recording_due_at) WHERE recording_due_at IS NOT NULL;

CREATE TABLE carrier_number (
  id text NOT NULL,
  number text NOT NULL,
  reference text NOT NULL,
  bought_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  returned_at timestamptz(3),
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX carrier_number_reference_key ON carrier_number (reference);
-- The sandbox carrier sells a number once at a time.
CREATE UNIQUE INDEX carrier_number_sold_key ON carrier_number (number) WHERE returned_at IS NULL;

CREATE TABLE carrier_text (
  id text NOT NULL,
  reference text NOT NULL,
  from_number text NOT NULL,
  to_number text NOT NULL,
  body text,
  status_url text,
  received_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  reported_at timestamptz(3),
  PRIMARY KEY (id)
);
CREATE INDEX carrier_text_received_at_idx ON carrier_text (received_at);
CREATE UNIQUE INDEX carrier_text_reference_key ON carrier_text (reference);
CREATE INDEX carrier_text_to_number_received_at_idx ON carrier_text (to_number, received_at);
-- Texts whose delivery status the sandbox carrier has yet to send, and recordings that are to be fetched.
CREATE INDEX carrier_text_unreported_idx ON carrier_text (received_at, id) WHERE reported_at IS NULL;

CREATE TABLE carrier_attempt (
  reference text NOT NULL,
  begun_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  carrier_id text,
  PRIMARY KEY (reference)
);
CREATE UNIQUE INDEX carrier_attempt_carrier_id_key ON carrier_attempt (carrier_id);

CREATE TABLE sms_template (
  organization_id int NOT NULL,
  id serial,
  category text NOT NULL,
  name text NOT NULL,
  body text NOT NULL,
  language text DEFAULT 'en' NOT NULL,
  tracks_response boolean DEFAULT false NOT NULL,
  active boolean DEFAULT false NOT NULL,
  deleted_at timestamptz(3),
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- One active template in a category.
CREATE UNIQUE INDEX sms_template_active_key ON sms_template (organization_id, category) WHERE active AND deleted_at IS NULL;
CREATE INDEX sms_template_organization_id_category_idx ON sms_template (organization_id, category);

CREATE TABLE visit_message_rule (
  organization_id int NOT NULL,
  id bigserial,
  kind text NOT NULL,
  appointment_type_id int,
  enabled boolean NOT NULL,
  offsets text[] DEFAULT ARRAY[]::text[],
  template_id int,
  since timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX visit_message_rule_organization_id_template_id_idx ON visit_message_rule (organization_id, template_id);

CREATE TABLE visit_message (
  organization_id int NOT NULL,
  id bigserial,
  appointment_id bigint NOT NULL,
  patient_id int NOT NULL,
  kind text NOT NULL,
  lead text,
  starts_at timestamptz(3) NOT NULL,
  known_start timestamptz(3),
  due_at timestamptz(3) NOT NULL,
  reason text,
  sms_message_id bigint,
  mail_message_id bigint,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX visit_message_organization_id_appointment_id_patient_id_kin_key ON visit_message (organization_id, appointment_id, patient_id, kind, lead, starts_at);
CREATE INDEX visit_message_organization_id_mail_message_id_idx ON visit_message (organization_id, mail_message_id);
CREATE INDEX visit_message_organization_id_patient_id_idx ON visit_message (organization_id, patient_id);
CREATE INDEX visit_message_organization_id_sms_message_id_idx ON visit_message (organization_id, sms_message_id);

CREATE TABLE sms_template_variant (
  organization_id int NOT NULL,
  template_id int NOT NULL,
  language text NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (organization_id, template_id, language)
);

CREATE TABLE sms_message (
  organization_id int NOT NULL,
  id bigserial,
  direction message_direction NOT NULL,
  patient_id int,
  appointment_id bigint,
  template_id int,
  review_user_id int,
  from_number text,
  to_number text NOT NULL,
  body text NOT NULL,
  language text,
  sealed text,
  state message_state NOT NULL,
  reason text,
  carrier_id text,
  not_before timestamptz(3),
  attempts int DEFAULT 0 NOT NULL,
  queued_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  sent_at timestamptz(3),
  delivered_at timestamptz(3),
  is_reply boolean DEFAULT false NOT NULL,
  urgent boolean DEFAULT false NOT NULL,
  attempted_at timestamptz(3),
  choice_answer confirmation_answer,
  sent_by_user_id int,
  own_number boolean DEFAULT false NOT NULL,
  to_guardian boolean DEFAULT false NOT NULL,
  scheduled_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- The texts of a conversation, by the number of the other side, in the order in which they were written.
CREATE INDEX sms_message_conversation_idx ON sms_message (
  organization_id, (CASE WHEN direction = 'inbound' THEN from_number ELSE to_number END), queued_at, id);
CREATE INDEX sms_message_organization_id_appointment_id_idx ON sms_message (organization_id, appointment_id);
CREATE UNIQUE INDEX sms_message_organization_id_carrier_id_key ON sms_message (organization_id, carrier_id);
CREATE INDEX sms_message_organization_id_patient_id_queued_at_idx ON sms_message (organization_id, patient_id, queued_at);
CREATE INDEX sms_message_organization_id_queued_at_id_idx ON sms_message (organization_id, queued_at, id);
CREATE INDEX sms_message_organization_id_state_idx ON sms_message (organization_id, state);
CREATE INDEX sms_message_organization_id_template_id_idx ON sms_message (organization_id, template_id);
CREATE INDEX sms_message_organization_id_to_number_queued_at_idx ON sms_message (organization_id, to_number, queued_at);
-- Messages that wait to be sent, looked for across all organizations (src/jobs/queue/lost-jobs.ts): never many.
CREATE INDEX sms_message_queued_idx ON sms_message (organization_id, id) WHERE state = 'queued';
-- Of those, the ones with encrypted values, which a new master key encrypts anew.
CREATE INDEX sms_message_sealed_idx ON sms_message (organization_id, id) WHERE sealed IS NOT NULL;
CREATE INDEX sms_message_sealed_key_idx ON sms_message (split_part(sealed, '.', 1)) WHERE sealed IS NOT NULL;

CREATE TABLE text_picture (
  organization_id int NOT NULL,
  id bigserial,
  sms_message_id bigint NOT NULL,
  carrier_url text NOT NULL,
  due_at timestamptz(3),
  attempts int DEFAULT 0 NOT NULL,
  attachment_id bigint,
  PRIMARY KEY (organization_id, id)
);
-- The pictures that are due to be fetched, in all practices.
CREATE INDEX text_picture_due_at_idx ON text_picture (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX text_picture_organization_id_attachment_id_idx ON text_picture (organization_id, attachment_id);
CREATE INDEX text_picture_organization_id_sms_message_id_id_idx ON text_picture (organization_id, sms_message_id, id);

CREATE TABLE text_appointment (
  organization_id int NOT NULL,
  sms_message_id bigint NOT NULL,
  appointment_id bigint NOT NULL,
  patient_id int,
  starts_at timestamptz(3),
  question text_question_state,
  "position" int,
  PRIMARY KEY (organization_id, sms_message_id, appointment_id)
);
CREATE INDEX text_appointment_organization_id_appointment_id_idx ON text_appointment (organization_id, appointment_id);
CREATE INDEX text_appointment_organization_id_patient_id_idx ON text_appointment (organization_id, patient_id);

CREATE TABLE mail_message (
  organization_id int NOT NULL,
  id bigserial,
  patient_id int,
  to_address text NOT NULL,
  subject text NOT NULL,
  body text NOT NULL,
  sealed text,
  state message_state NOT NULL,
  reason text,
  attempts int DEFAULT 0 NOT NULL,
  queued_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  not_before timestamptz(3),
  own_address boolean DEFAULT false NOT NULL,
  to_guardian boolean DEFAULT false NOT NULL,
  sent_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX mail_message_organization_id_patient_id_queued_at_idx ON mail_message (organization_id, patient_id, queued_at);
CREATE INDEX mail_message_queued_idx ON mail_message (organization_id, id) WHERE state = 'queued';
CREATE INDEX mail_message_sealed_idx ON mail_message (organization_id, id) WHERE sealed IS NOT NULL;
CREATE INDEX mail_message_sealed_key_idx ON mail_message (split_part(sealed, '.', 1)) WHERE sealed IS NOT NULL;

CREATE TABLE local_mail (
  reference text NOT NULL,
  from_name text NOT NULL,
  to_address text NOT NULL,
  subject text NOT NULL,
  body text,
  sent_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (reference)
);
CREATE INDEX local_mail_sent_at_idx ON local_mail (sent_at);

CREATE TABLE opt_out (
  organization_id int NOT NULL,
  id bigserial,
  number text NOT NULL,
  opted_out boolean NOT NULL,
  keyword text NOT NULL,
  source text NOT NULL,
  note text,
  user_id int,
  recorded_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX opt_out_organization_id_number_recorded_at_idx ON opt_out (organization_id, number, recorded_at);
CREATE INDEX opt_out_organization_id_user_id_idx ON opt_out (organization_id, user_id);

CREATE TABLE canned_reply (
  organization_id int NOT NULL,
  id serial,
  user_id int,
  message text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE survey_type (
  organization_id int NOT NULL,
  id serial,
  name text NOT NULL,
  language text DEFAULT 'en' NOT NULL,
  questions jsonb NOT NULL,
  variants jsonb DEFAULT '[]' NOT NULL,
  active boolean DEFAULT true NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE check_in (
  organization_id int NOT NULL,
  id bigserial,
  patient_id int NOT NULL,
  survey_type_id int,
  scheduled_check_in_id int,
  occurrence_on date,
  channel text NOT NULL,
  message text NOT NULL,
  link_hash bytea NOT NULL,
  sms_message_id bigint,
  mail_message_id bigint,
  sent_by_user_id int,
  sent_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  answered_at timestamptz(3),
  answers jsonb,
  reviewed boolean DEFAULT false NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- Answered check-ins without a review. Lists show them for each patient, so the time must not grow with the history.
CREATE INDEX check_in_open_idx ON check_in (organization_id, patient_id, answered_at) WHERE answered_at IS NOT NULL AND NOT reviewed;
CREATE INDEX check_in_organization_id_answered_at_idx ON check_in (organization_id, answered_at);
CREATE UNIQUE INDEX check_in_organization_id_link_hash_key ON check_in (organization_id, link_hash);
CREATE INDEX check_in_organization_id_mail_message_id_idx ON check_in (organization_id, mail_message_id);
CREATE INDEX check_in_organization_id_patient_id_sent_at_idx ON check_in (organization_id, patient_id, sent_at);
CREATE UNIQUE INDEX check_in_organization_id_scheduled_check_in_id_patient_id_s_key ON check_in (organization_id, scheduled_check_in_id, patient_id, survey_type_id, occurrence_on);
CREATE INDEX check_in_organization_id_sent_at_id_idx ON check_in (organization_id, sent_at, id);
CREATE INDEX check_in_organization_id_sms_message_id_idx ON check_in (organization_id, sms_message_id);
CREATE INDEX check_in_organization_id_survey_type_id_idx ON check_in (organization_id, survey_type_id);
CREATE INDEX check_in_unanswered_idx ON check_in (sent_at) WHERE answered_at IS NULL;

CREATE TABLE reading (
  organization_id int NOT NULL,
  id bigserial,
  patient_id int NOT NULL,
  check_in_id bigint,
  item_id int NOT NULL,
  value numeric(12,3) NOT NULL,
  source text DEFAULT 'self' NOT NULL,
  device_id bigint,
  measured_at timestamptz(3) NOT NULL,
  measured_on date NOT NULL,
  received_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  recorded_by_user_id int,
  implausible boolean DEFAULT false NOT NULL,
  error_at timestamptz(3),
  error_by_user_id int,
  error_reason text,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT reading_source_check CHECK (source IN ('device', 'self', 'staff'))
);
-- A person who measures without a device sends a measurement once too. One that was entered in error leaves its place to the right one.
CREATE UNIQUE INDEX reading_by_hand_valid_key ON reading (organization_id, patient_id, item_id, measured_at, source)
  WHERE device_id IS NULL AND check_in_id IS NULL AND error_at IS NULL;
CREATE UNIQUE INDEX reading_organization_id_check_in_id_item_id_key ON reading (organization_id, check_in_id, item_id);
CREATE UNIQUE INDEX reading_organization_id_device_id_item_id_patient_id_measur_key ON reading (organization_id, device_id, item_id, patient_id, measured_at);
CREATE INDEX reading_organization_id_item_id_idx ON reading (organization_id, item_id);
CREATE INDEX reading_organization_id_patient_id_measured_at_id_idx ON reading (organization_id, patient_id, measured_at, id);
CREATE INDEX reading_organization_id_patient_id_measured_on_idx ON reading (organization_id, patient_id, measured_on);
CREATE INDEX reading_organization_id_recorded_by_user_id_idx ON reading (organization_id, recorded_by_user_id);

CREATE TABLE scheduled_check_in (
  organization_id int NOT NULL,
  id serial,
  name text NOT NULL,
  schedule_time text NOT NULL,
  schedule_period text NOT NULL,
  starts_on date NOT NULL,
  weekdays int[] DEFAULT ARRAY[]::int[],
  ends_on date,
  max_runs int,
  runs int DEFAULT 0 NOT NULL,
  next_run_at timestamptz(3),
  active boolean DEFAULT true NOT NULL,
  created_by_user_id int,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX scheduled_check_in_next_run_at_idx ON scheduled_check_in (next_run_at);

CREATE TABLE scheduled_check_in_survey (
  organization_id int NOT NULL,
  scheduled_check_in_id int NOT NULL,
  survey_type_id int NOT NULL,
  PRIMARY KEY (organization_id, scheduled_check_in_id, survey_type_id)
);
CREATE INDEX scheduled_check_in_survey_organization_id_survey_type_id_idx ON scheduled_check_in_survey (organization_id, survey_type_id);

CREATE TABLE scheduled_check_in_recipient (
  organization_id int NOT NULL,
  scheduled_check_in_id int NOT NULL,
  patient_id int NOT NULL,
  channel text,
  PRIMARY KEY (organization_id, scheduled_check_in_id, patient_id)
);
CREATE INDEX scheduled_check_in_recipient_organization_id_patient_id_idx ON scheduled_check_in_recipient (organization_id, patient_id);

CREATE TABLE external_message (
  organization_id int NOT NULL,
  id bigserial,
  contact_id int,
  patient_id int,
  channel text NOT NULL,
  sent_to text NOT NULL,
  sms_message_id bigint,
  mail_message_id bigint,
  receiver_first_name text,
  receiver_last_name text,
  subject text,
  message text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  extra_auth boolean DEFAULT false NOT NULL,
  display_credentials boolean DEFAULT false NOT NULL,
  link_hash bytea NOT NULL,
  code_hash bytea,
  code_expires_at timestamptz(3),
  code_sent_to text,
  codes_sent_at timestamptz(3)[] DEFAULT ARRAY[]::timestamptz(3)[],
  wrong_codes int DEFAULT 0 NOT NULL,
  wrong_in_all int DEFAULT 0 NOT NULL,
  total_views int DEFAULT 0 NOT NULL,
  total_downloads int DEFAULT 0 NOT NULL,
  last_viewed_at timestamptz(3),
  withdrawn_at timestamptz(3),
  created_by_user_id int,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX external_message_organization_id_contact_id_idx ON external_message (organization_id, contact_id);
CREATE INDEX external_message_organization_id_created_at_id_idx ON external_message (organization_id, created_at, id);
CREATE UNIQUE INDEX external_message_organization_id_link_hash_key ON external_message (organization_id, link_hash);
CREATE INDEX external_message_organization_id_mail_message_id_idx ON external_message (organization_id, mail_message_id);
CREATE INDEX external_message_organization_id_patient_id_idx ON external_message (organization_id, patient_id);
CREATE INDEX external_message_organization_id_sms_message_id_idx ON external_message (organization_id, sms_message_id);

CREATE TABLE link_code (
  organization_id int NOT NULL,
  link_hash bytea NOT NULL,
  patient_id int NOT NULL,
  code_hash bytea,
  code_expires_at timestamptz(3),
  code_sent_to text,
  codes_sent_at timestamptz(3)[] DEFAULT ARRAY[]::timestamptz(3)[],
  wrong_codes int DEFAULT 0 NOT NULL,
  wrong_in_all int DEFAULT 0 NOT NULL,
  PRIMARY KEY (organization_id, link_hash)
);
CREATE INDEX link_code_organization_id_patient_id_idx ON link_code (organization_id, patient_id);

CREATE TABLE external_message_attachment (
  organization_id int NOT NULL,
  external_message_id bigint NOT NULL,
  attachment_id bigint NOT NULL,
  "position" int NOT NULL,
  PRIMARY KEY (organization_id, external_message_id, attachment_id)
);
CREATE INDEX external_message_attachment_organization_id_attachment_id_idx ON external_message_attachment (organization_id, attachment_id);

-- ==== Telehealth: tables

CREATE TABLE video_session (
  organization_id int NOT NULL,
  id bigserial,
  guid uuid NOT NULL,
  host_user_id int NOT NULL,
  appointment_id bigint,
  kind text DEFAULT 'telehealth' NOT NULL,
  provider text DEFAULT 'mesh' NOT NULL,
  guest_link_hash bytea NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  recording_since timestamptz(3),
  recording_asked_at timestamptz(3),
  visit int DEFAULT 0 NOT NULL,
  recorded_visit int,
  locked_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX video_session_begun_idx ON video_session (organization_id, id) WHERE ended_at IS NULL AND started_at IS NOT NULL;
CREATE INDEX video_session_organization_id_appointment_id_idx ON video_session (organization_id, appointment_id);
CREATE INDEX video_session_organization_id_created_at_id_idx ON video_session (organization_id, created_at, id);
CREATE UNIQUE INDEX video_session_organization_id_guest_link_hash_key ON video_session (organization_id, guest_link_hash);
CREATE UNIQUE INDEX video_session_organization_id_guid_key ON video_session (organization_id, guid);
CREATE INDEX video_session_organization_id_host_user_id_created_at_idx ON video_session (organization_id, host_user_id, created_at);
CREATE INDEX video_session_organization_id_started_at_id_idx ON video_session (organization_id, started_at, id);
-- The newest start first, and sessions that nobody has joined last.
CREATE INDEX video_session_started_last_idx ON video_session (organization_id, started_at DESC NULLS LAST, id DESC);
-- When a session took place: from its start, or, where nobody has joined it, from its creation. Searches filter by it.
CREATE INDEX video_session_took_place_idx ON video_session (organization_id, coalesce(started_at, created_at), id);

-- Each user who leads a session has links of their own, and a new link does not end the others.
CREATE TABLE session_host_link (
  organization_id int NOT NULL,
  id bigserial,
  video_session_id bigint NOT NULL,
  user_id int NOT NULL,
  link_hash bytea NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  withdrawn_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX session_host_link_organization_id_link_hash_key ON session_host_link (organization_id, link_hash);
CREATE INDEX session_host_link_organization_id_user_id_idx ON session_host_link (organization_id, user_id);
CREATE INDEX session_host_link_organization_id_video_session_id_idx ON session_host_link (organization_id, video_session_id);

CREATE TABLE session_participant (
  organization_id int NOT NULL,
  id bigserial,
  video_session_id bigint NOT NULL,
  role text NOT NULL,
  user_id int,
  patient_id int,
  display_name text,
  waiting_since timestamptz(3),
  admitted_at timestamptz(3),
  joined_at timestamptz(3),
  last_seen_at timestamptz(3) NOT NULL,
  left_at timestamptz(3),
  refused_at timestamptz(3),
  invite_id bigint,
  connection uuid,
  visit int,
  removed_at timestamptz(3),
  entries int DEFAULT 0 NOT NULL,
  camera boolean,
  microphone boolean,
  recording_consent boolean,
  recording_words text,
  recording_answered_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT session_participant_in_a_visit CHECK (role = 'host' OR admitted_at IS NULL OR visit IS NOT NULL),
  CONSTRAINT session_participant_left_after_joining CHECK (left_at >= joined_at)
);
CREATE INDEX session_participant_organization_id_invite_id_idx ON session_participant (organization_id, invite_id);
CREATE INDEX session_participant_organization_id_patient_id_idx ON session_participant (organization_id, patient_id);
CREATE INDEX session_participant_organization_id_video_session_id_idx ON session_participant (organization_id, video_session_id);
-- Rows whose heartbeats may have stopped, and sessions that may have expired.
CREATE INDEX session_participant_present_idx ON session_participant (last_seen_at) WHERE left_at IS NULL;

CREATE TABLE session_chat_message (
  organization_id int NOT NULL,
  id bigserial,
  video_session_id bigint NOT NULL,
  visit int NOT NULL,
  participant_id bigint NOT NULL,
  text text NOT NULL,
  sent_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX session_chat_message_organization_id_participant_id_idx ON session_chat_message (organization_id, participant_id);
CREATE INDEX session_chat_message_organization_id_video_session_id_visit_idx ON session_chat_message (organization_id, video_session_id, visit, id);

CREATE TABLE late_notice (
  organization_id int NOT NULL,
  id bigserial,
  participant_id bigint,
  waiting_room_visit_id bigint,
  minutes int NOT NULL,
  tap_key uuid NOT NULL,
  user_id int NOT NULL,
  sms_message_id bigint,
  sent_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT late_notice_person CHECK (num_nonnulls(participant_id, waiting_room_visit_id) = 1)
);
CREATE INDEX late_notice_organization_id_participant_id_idx ON late_notice (organization_id, participant_id);
CREATE INDEX late_notice_organization_id_sms_message_id_idx ON late_notice (organization_id, sms_message_id);
CREATE UNIQUE INDEX late_notice_organization_id_tap_key_key ON late_notice (organization_id, tap_key);
CREATE INDEX late_notice_organization_id_user_id_idx ON late_notice (organization_id, user_id);
CREATE INDEX late_notice_organization_id_waiting_room_visit_id_idx ON late_notice (organization_id, waiting_room_visit_id);

CREATE TABLE session_image (
  organization_id int NOT NULL,
  id bigserial,
  video_session_id bigint NOT NULL,
  attachment_id bigint NOT NULL,
  thumbnail_attachment_id bigint,
  patient_id int,
  shown_participant_id bigint,
  maker_user_id int,
  maker_participant_id bigint,
  title text,
  body_site text,
  width int,
  height int,
  taken_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX session_image_organization_id_attachment_id_idx ON session_image (organization_id, attachment_id);
CREATE INDEX session_image_organization_id_maker_participant_id_idx ON session_image (organization_id, maker_participant_id);
CREATE INDEX session_image_organization_id_maker_user_id_idx ON session_image (organization_id, maker_user_id);
CREATE INDEX session_image_organization_id_patient_id_taken_at_id_idx ON session_image (organization_id, patient_id, taken_at, id);
CREATE INDEX session_image_organization_id_shown_participant_id_idx ON session_image (organization_id, shown_participant_id);
CREATE INDEX session_image_organization_id_taken_at_id_idx ON session_image (organization_id, taken_at, id);
CREATE INDEX session_image_organization_id_thumbnail_attachment_id_idx ON session_image (organization_id, thumbnail_attachment_id);
CREATE INDEX session_image_organization_id_video_session_id_idx ON session_image (organization_id, video_session_id);

CREATE TABLE session_video (
  organization_id int NOT NULL,
  id bigserial,
  video_session_id bigint NOT NULL,
  attachment_id bigint NOT NULL,
  thumbnail_attachment_id bigint,
  patient_id int,
  shown_participant_id bigint,
  maker_user_id int,
  maker_participant_id bigint,
  title text,
  body_site text,
  width int,
  height int,
  duration_seconds int,
  seekable boolean DEFAULT false NOT NULL,
  playable boolean DEFAULT true NOT NULL,
  recorded_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX session_video_organization_id_attachment_id_idx ON session_video (organization_id, attachment_id);
CREATE INDEX session_video_organization_id_maker_participant_id_idx ON session_video (organization_id, maker_participant_id);
CREATE INDEX session_video_organization_id_maker_user_id_idx ON session_video (organization_id, maker_user_id);
CREATE INDEX session_video_organization_id_patient_id_recorded_at_id_idx ON session_video (organization_id, patient_id, recorded_at, id);
CREATE INDEX session_video_organization_id_recorded_at_id_idx ON session_video (organization_id, recorded_at, id);
CREATE INDEX session_video_organization_id_shown_participant_id_idx ON session_video (organization_id, shown_participant_id);
CREATE INDEX session_video_organization_id_thumbnail_attachment_id_idx ON session_video (organization_id, thumbnail_attachment_id);
CREATE INDEX session_video_organization_id_video_session_id_idx ON session_video (organization_id, video_session_id);

CREATE TABLE still_request (
  organization_id int NOT NULL,
  id bigserial,
  video_session_id bigint NOT NULL,
  participant_id bigint NOT NULL,
  host_id bigint NOT NULL,
  body_site text,
  asked_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  refused_at timestamptz(3),
  taken_at timestamptz(3),
  image_id bigint,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX still_request_organization_id_host_id_idx ON still_request (organization_id, host_id);
CREATE INDEX still_request_organization_id_image_id_idx ON still_request (organization_id, image_id);
CREATE INDEX still_request_organization_id_participant_id_idx ON still_request (organization_id, participant_id);
CREATE INDEX still_request_organization_id_video_session_id_idx ON still_request (organization_id, video_session_id);

CREATE TABLE session_invite (
  organization_id int NOT NULL,
  id bigserial,
  video_session_id bigint,
  waiting_room_id int,
  appointment_id bigint,
  patient_id int,
  channel text NOT NULL,
  sent_to text NOT NULL,
  link_hash bytea NOT NULL,
  sms_message_id bigint,
  mail_message_id bigint,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  withdrawn_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT session_invite_opens_one CHECK (num_nonnulls(video_session_id, waiting_room_id) = 1)
);
CREATE INDEX session_invite_organization_id_appointment_id_idx ON session_invite (organization_id, appointment_id);
CREATE UNIQUE INDEX session_invite_organization_id_link_hash_key ON session_invite (organization_id, link_hash);
CREATE INDEX session_invite_organization_id_mail_message_id_idx ON session_invite (organization_id, mail_message_id);
CREATE INDEX session_invite_organization_id_patient_id_idx ON session_invite (organization_id, patient_id);
CREATE INDEX session_invite_organization_id_sms_message_id_idx ON session_invite (organization_id, sms_message_id);
CREATE INDEX session_invite_organization_id_video_session_id_idx ON session_invite (organization_id, video_session_id);
CREATE INDEX session_invite_organization_id_waiting_room_id_idx ON session_invite (organization_id, waiting_room_id);

CREATE TABLE telehealth_visit (
  organization_id int NOT NULL,
  id bigserial,
  video_session_id bigint NOT NULL,
  patient_id int,
  appointment_id bigint,
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  visit int,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT telehealth_visit_no_overlap EXCLUDE USING gist (organization_id WITH =, video_session_id WITH =, patient_id WITH =, tstzrange(started_at, ended_at) WITH &&),
  CONSTRAINT telehealth_visit_one_after_another EXCLUDE USING gist (organization_id WITH =, video_session_id WITH =, visit WITH <>, tstzrange(started_at, ended_at) WITH &&)
);
CREATE INDEX telehealth_visit_organization_id_appointment_id_idx ON telehealth_visit (organization_id, appointment_id);
CREATE INDEX telehealth_visit_organization_id_patient_id_started_at_idx ON telehealth_visit (organization_id, patient_id, started_at);
CREATE INDEX telehealth_visit_organization_id_started_at_idx ON telehealth_visit (organization_id, started_at);
CREATE INDEX telehealth_visit_organization_id_video_session_id_idx ON telehealth_visit (organization_id, video_session_id);
-- A patient is in a room once at a time: at most one visit is running, and none overlaps another.
CREATE UNIQUE INDEX telehealth_visit_running_key ON telehealth_visit (organization_id, video_session_id, patient_id) WHERE ended_at IS NULL;

CREATE TABLE waiting_room_visit (
  organization_id int NOT NULL,
  id bigserial,
  waiting_room_id int NOT NULL,
  patient_id int NOT NULL,
  appointment_id bigint,
  invite_id bigint,
  video_session_id bigint,
  entered_at timestamptz(3) NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  admitted_at timestamptz(3),
  left_at timestamptz(3),
  connection uuid,
  entries int DEFAULT 0 NOT NULL,
  camera boolean,
  microphone boolean,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT waiting_room_visit_no_overlap EXCLUDE USING gist (organization_id WITH =, waiting_room_id WITH =, patient_id WITH =, tstzrange(entered_at, left_at) WITH &&)
);
CREATE INDEX waiting_room_visit_organization_id_appointment_id_idx ON waiting_room_visit (organization_id, appointment_id);
CREATE INDEX waiting_room_visit_organization_id_entered_at_idx ON waiting_room_visit (organization_id, entered_at);
CREATE INDEX waiting_room_visit_organization_id_invite_id_idx ON waiting_room_visit (organization_id, invite_id);
CREATE INDEX waiting_room_visit_organization_id_patient_id_entered_at_idx ON waiting_room_visit (organization_id, patient_id, entered_at);
CREATE INDEX waiting_room_visit_organization_id_video_session_id_idx ON waiting_room_visit (organization_id, video_session_id);
CREATE INDEX waiting_room_visit_organization_id_waiting_room_id_idx ON waiting_room_visit (organization_id, waiting_room_id);
CREATE INDEX waiting_room_visit_present_idx ON waiting_room_visit (last_seen_at) WHERE left_at IS NULL;
CREATE UNIQUE INDEX waiting_room_visit_running_key ON waiting_room_visit (organization_id, waiting_room_id, patient_id) WHERE left_at IS NULL;

CREATE UNLOGGED TABLE session_signal (
  organization_id int NOT NULL,
  id bigserial,
  address text NOT NULL,
  payload jsonb NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX session_signal_created_at_idx ON session_signal (created_at);

CREATE TABLE user_review_url (
  organization_id int NOT NULL,
  id serial,
  user_id int NOT NULL,
  url text NOT NULL,
  title text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX user_review_url_organization_id_user_id_url_key ON user_review_url (organization_id, user_id, url);

-- ==== Monitoring: tables

CREATE TABLE program (
  organization_id int NOT NULL,
  id serial,
  name text NOT NULL,
  description text,
  service monitoring_service DEFAULT 'rpm' NOT NULL,
  active boolean DEFAULT true NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  alert_escalation_minutes int DEFAULT 15 NOT NULL,
  missed_check_in_hours int DEFAULT 24,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT program_alert_escalation_minutes_check CHECK (alert_escalation_minutes BETWEEN 1 AND 1440),
  CONSTRAINT program_missed_check_in_hours_check CHECK (missed_check_in_hours BETWEEN 1 AND 720)
);
-- A program or an item that was ended frees its name.
CREATE UNIQUE INDEX program_name_key ON program (organization_id, fold(name)) WHERE active;

CREATE TABLE workflow_step (
  organization_id int NOT NULL,
  id serial,
  program_id int NOT NULL,
  "position" int NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX workflow_step_organization_id_program_id_position_key ON workflow_step (organization_id, program_id, "position");

CREATE TABLE program_patient (
  organization_id int NOT NULL,
  id bigserial,
  program_id int NOT NULL,
  patient_id int NOT NULL,
  step_id int,
  added_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  removed_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
-- One open enrolment of a patient in a program.
CREATE UNIQUE INDEX program_patient_open_key ON program_patient (organization_id, program_id, patient_id) WHERE removed_at IS NULL;
CREATE INDEX program_patient_organization_id_patient_id_idx ON program_patient (organization_id, patient_id);
CREATE INDEX program_patient_organization_id_program_id_idx ON program_patient (organization_id, program_id);
CREATE INDEX program_patient_organization_id_step_id_idx ON program_patient (organization_id, step_id);

CREATE TABLE workflow_event (
  organization_id int NOT NULL,
  id bigserial,
  program_patient_id bigint NOT NULL,
  step_id int NOT NULL,
  user_id int,
  occurred_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX workflow_event_organization_id_program_patient_id_occurred__idx ON workflow_event (organization_id, program_patient_id, occurred_at);
CREATE INDEX workflow_event_organization_id_step_id_idx ON workflow_event (organization_id, step_id);
CREATE INDEX workflow_event_organization_id_user_id_idx ON workflow_event (organization_id, user_id);

CREATE TABLE item (
  organization_id int NOT NULL,
  id serial,
  name text NOT NULL,
  unit text,
  min_target numeric(12,3),
  max_target numeric(12,3),
  danger_min numeric(12,3),
  danger_max numeric(12,3),
  plausible_min numeric(12,3),
  plausible_max numeric(12,3),
  kind item_kind DEFAULT 'physiologic' NOT NULL,
  active boolean DEFAULT true NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX item_name_key ON item (organization_id, fold(name)) WHERE active;

CREATE TABLE monitoring_device (
  organization_id int NOT NULL,
  id bigserial,
  identifier text NOT NULL,
  make text,
  model text,
  serial text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- One device of a practice by its identifier, in any case.
CREATE UNIQUE INDEX monitoring_device_identifier_key ON monitoring_device (organization_id, lower(identifier));

CREATE TABLE device_assignment (
  organization_id int NOT NULL,
  device_id bigint NOT NULL,
  serial text NOT NULL,
  patient_id int NOT NULL,
  assigned_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, device_id)
);
CREATE INDEX device_assignment_organization_id_patient_id_idx ON device_assignment (organization_id, patient_id);
-- A serial number is with one patient at a time.
CREATE UNIQUE INDEX device_assignment_serial_key ON device_assignment (organization_id, lower(serial));

CREATE TABLE tracked_condition (
  organization_id int NOT NULL,
  id serial,
  patient_id int NOT NULL,
  provider_id int,
  user_id int,
  icd_code text,
  icd_lex_code int,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT tracked_condition_code_check CHECK (num_nonnulls(icd_code, icd_lex_code) > 0)
);
CREATE INDEX tracked_condition_organization_id_patient_id_idx ON tracked_condition (organization_id, patient_id);
CREATE INDEX tracked_condition_organization_id_provider_id_idx ON tracked_condition (organization_id, provider_id);
CREATE INDEX tracked_condition_organization_id_user_id_idx ON tracked_condition (organization_id, user_id);

CREATE TABLE tracked_condition_item (
  organization_id int NOT NULL,
  id serial,
  tracked_condition_id int NOT NULL,
  item_id int NOT NULL,
  min_target numeric(12,3),
  max_target numeric(12,3),
  danger_min numeric(12,3),
  danger_max numeric(12,3),
  since timestamptz(3),
  until timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX tracked_condition_item_now_key ON tracked_condition_item (organization_id, tracked_condition_id, item_id) WHERE until IS NULL;
CREATE INDEX tracked_condition_item_organization_id_item_id_idx ON tracked_condition_item (organization_id, item_id);
CREATE INDEX tracked_condition_item_organization_id_tracked_condition_id_idx ON tracked_condition_item (organization_id, tracked_condition_id);

CREATE TABLE monitoring_consent (
  organization_id int NOT NULL,
  id bigserial,
  patient_id int NOT NULL,
  given_at timestamptz(3) NOT NULL,
  revoked boolean DEFAULT false NOT NULL,
  how text NOT NULL,
  given_by text NOT NULL,
  note text,
  recorded_by_user_id int,
  recorded_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT monitoring_consent_how_check CHECK (how IN ('verbal', 'written', 'electronic'))
);
CREATE INDEX monitoring_consent_organization_id_patient_id_given_at_id_idx ON monitoring_consent (organization_id, patient_id, given_at, id);
CREATE INDEX monitoring_consent_organization_id_recorded_by_user_id_idx ON monitoring_consent (organization_id, recorded_by_user_id);

CREATE TABLE check_in_review (
  organization_id int NOT NULL,
  id bigserial,
  check_in_id bigint NOT NULL,
  user_id int NOT NULL,
  created_by_id int,
  patient_id int NOT NULL,
  message text,
  display boolean DEFAULT false NOT NULL,
  minutes int NOT NULL,
  started_at timestamptz(3) NOT NULL,
  live_contact boolean DEFAULT false NOT NULL,
  late_reason text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  deleted_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX check_in_review_organization_id_check_in_id_idx ON check_in_review (organization_id, check_in_id);
CREATE INDEX check_in_review_organization_id_created_at_idx ON check_in_review (organization_id, created_at);
CREATE INDEX check_in_review_organization_id_created_by_id_idx ON check_in_review (organization_id, created_by_id);
CREATE INDEX check_in_review_organization_id_patient_id_started_at_idx ON check_in_review (organization_id, patient_id, started_at);
CREATE INDEX check_in_review_organization_id_started_at_id_idx ON check_in_review (organization_id, started_at, id);
CREATE INDEX check_in_review_organization_id_user_id_started_at_idx ON check_in_review (organization_id, user_id, started_at);

CREATE TABLE review_release (
  organization_id int NOT NULL,
  id bigserial,
  kind text NOT NULL,
  review_id bigint,
  patient_id int NOT NULL,
  month text,
  units int,
  overlapping_ids bigint[],
  reason text NOT NULL,
  released_by_id int NOT NULL,
  released_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT review_release_subject_check CHECK ((review_id IS NULL) = (month IS NOT NULL) AND (month IS NULL) = (units IS NULL))
);
CREATE UNIQUE INDEX review_release_organization_id_patient_id_month_units_key ON review_release (organization_id, patient_id, month, units);
CREATE INDEX review_release_organization_id_released_by_id_idx ON review_release (organization_id, released_by_id);
CREATE INDEX review_release_organization_id_review_id_kind_idx ON review_release (organization_id, review_id, kind);

CREATE TABLE closed_month (
  organization_id int NOT NULL,
  month text NOT NULL,
  time_zone text NOT NULL,
  readings monitoring_readings NOT NULL,
  supply_period monitoring_period NOT NULL,
  row_count int NOT NULL,
  hash bytea NOT NULL,
  held_count int NOT NULL,
  closed_by_id int NOT NULL,
  closed_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, month)
);
CREATE INDEX closed_month_organization_id_closed_by_id_idx ON closed_month (organization_id, closed_by_id);

CREATE TABLE closed_ledger_row (
  organization_id int NOT NULL,
  month text NOT NULL,
  patient_id int NOT NULL,
  version int NOT NULL,
  document text NOT NULL,
  evidence text NOT NULL,
  hash bytea NOT NULL,
  reason text,
  recorded_by_id int NOT NULL,
  recorded_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, month, patient_id, version)
);
CREATE INDEX closed_ledger_row_organization_id_patient_id_idx ON closed_ledger_row (organization_id, patient_id);
CREATE INDEX closed_ledger_row_organization_id_recorded_by_id_idx ON closed_ledger_row (organization_id, recorded_by_id);

CREATE TABLE month_closing (
  organization_id int NOT NULL,
  id bigserial,
  month text NOT NULL,
  time_zone text NOT NULL,
  readings monitoring_readings NOT NULL,
  supply_period monitoring_period NOT NULL,
  leave_held boolean NOT NULL,
  patient_ids int[],
  done int DEFAULT 0 NOT NULL,
  held int DEFAULT 0 NOT NULL,
  requested_by_id int NOT NULL,
  requested_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  finished_at timestamptz(3),
  is_refused boolean DEFAULT false NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- One closing of a month is under way at a time; workers look for it in all organizations.
CREATE UNIQUE INDEX month_closing_open_key ON month_closing (organization_id, month) WHERE finished_at IS NULL;
CREATE INDEX month_closing_organization_id_month_id_idx ON month_closing (organization_id, month, id);
CREATE INDEX month_closing_organization_id_requested_by_id_idx ON month_closing (organization_id, requested_by_id);

CREATE TABLE month_closing_row (
  organization_id int NOT NULL,
  closing_id bigint NOT NULL,
  patient_id int NOT NULL,
  document text NOT NULL,
  evidence text NOT NULL,
  PRIMARY KEY (organization_id, closing_id, patient_id)
);
CREATE INDEX month_closing_row_organization_id_patient_id_idx ON month_closing_row (organization_id, patient_id);

CREATE TABLE push_subscription (
  organization_id int NOT NULL,
  id bigserial,
  user_id int NOT NULL,
  session_id uuid NOT NULL,
  endpoint_hash bytea NOT NULL,
  subscription text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX push_subscription_organization_id_endpoint_hash_key ON push_subscription (organization_id, endpoint_hash);
CREATE INDEX push_subscription_organization_id_session_id_idx ON push_subscription (organization_id, session_id);
CREATE INDEX push_subscription_organization_id_user_id_idx ON push_subscription (organization_id, user_id);
CREATE INDEX push_subscription_subscription_key_idx ON push_subscription (split_part(subscription, '.', 1)) WHERE subscription IS NOT NULL;

CREATE TABLE notification (
  organization_id int NOT NULL,
  id bigserial,
  transaction_id bigint DEFAULT log_transaction() NOT NULL,
  user_id int NOT NULL,
  kind text NOT NULL,
  subject_type text NOT NULL,
  subject_id bigint NOT NULL,
  occasion bigint DEFAULT 0 NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  pushed_at timestamptz(3),
  settled_at timestamptz(3),
  read_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX notification_organization_id_user_id_kind_subject_type_subj_key ON notification (organization_id, user_id, kind, subject_type, subject_id, occasion);
CREATE INDEX notification_organization_id_user_id_transaction_id_id_idx ON notification (organization_id, user_id, transaction_id, id);
-- Notifications that a job still has to push: few.
CREATE INDEX notification_unsettled_idx ON notification (created_at) WHERE settled_at IS NULL;

CREATE TABLE push_delivery (
  organization_id int NOT NULL,
  notification_id bigint NOT NULL,
  subscription_id bigint NOT NULL,
  delivered_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, notification_id, subscription_id)
);
CREATE INDEX push_delivery_organization_id_subscription_id_idx ON push_delivery (organization_id, subscription_id);

CREATE TABLE push_key (
  id int DEFAULT 1 NOT NULL,
  public_key text NOT NULL,
  private_key text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT push_key_is_one CHECK (id = 1)
);

-- ==== Alerts: tables

CREATE TABLE monitoring_alert (
  organization_id int NOT NULL,
  id bigserial,
  patient_id int NOT NULL,
  kind text NOT NULL,
  severity text NOT NULL,
  gravity int NOT NULL,
  state text DEFAULT 'open' NOT NULL,
  program_ids int[] DEFAULT ARRAY[]::int[],
  reading_id bigint,
  check_in_id bigint,
  item_id int,
  question_key text,
  question text,
  answer text,
  value numeric(12,3),
  min_target numeric(12,3),
  max_target numeric(12,3),
  danger_min numeric(12,3),
  danger_max numeric(12,3),
  target_source text,
  target_condition_ids int[] DEFAULT ARRAY[]::int[],
  occurred_at timestamptz(3) NOT NULL,
  raised_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  announced boolean DEFAULT true NOT NULL,
  escalate_at timestamptz(3),
  escalations int DEFAULT 0 NOT NULL,
  patient_text_due boolean DEFAULT false NOT NULL,
  patient_text_id bigint,
  patient_text_reason text,
  acknowledged_at timestamptz(3),
  acknowledged_by_user_id int,
  acknowledged_note text,
  closed_at timestamptz(3),
  closed_by_user_id int,
  closed_note text,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT monitoring_alert_escalate_check CHECK (escalate_at IS NULL OR state = 'open'),
  CONSTRAINT monitoring_alert_kind_check CHECK (
    (kind IN ('out_of_target', 'danger_value') AND reading_id IS NOT NULL AND item_id IS NOT NULL AND value IS NOT NULL)
    OR (kind = 'urgent_symptom' AND check_in_id IS NOT NULL AND question_key IS NOT NULL)
    OR (kind = 'missed_check_in' AND check_in_id IS NOT NULL)),
  CONSTRAINT monitoring_alert_severity_check CHECK (
    (severity, gravity) IN (('watch', 1), ('urgent', 2), ('danger', 3))),
  CONSTRAINT monitoring_alert_state_check CHECK (
    state = CASE WHEN closed_at IS NOT NULL THEN 'closed' WHEN acknowledged_at IS NOT NULL THEN 'acknowledged' ELSE 'open' END)
);
-- What the jobs look for every few seconds, in all organizations.
CREATE INDEX monitoring_alert_escalate_at_idx ON monitoring_alert (escalate_at) WHERE escalate_at IS NOT NULL;
CREATE UNIQUE INDEX monitoring_alert_missed_key ON monitoring_alert (organization_id, check_in_id) WHERE kind = 'missed_check_in';
-- The open ones, which are few beside those of years.
CREATE INDEX monitoring_alert_open_idx ON monitoring_alert (organization_id, gravity, raised_at, id) WHERE state = 'open';
CREATE INDEX monitoring_alert_organization_id_acknowledged_by_user_id_idx ON monitoring_alert (organization_id, acknowledged_by_user_id);
CREATE UNIQUE INDEX monitoring_alert_organization_id_check_in_id_question_key_key ON monitoring_alert (organization_id, check_in_id, question_key);
CREATE INDEX monitoring_alert_organization_id_closed_by_user_id_idx ON monitoring_alert (organization_id, closed_by_user_id);
CREATE INDEX monitoring_alert_organization_id_gravity_raised_at_id_idx ON monitoring_alert (organization_id, gravity, raised_at, id);
CREATE INDEX monitoring_alert_organization_id_item_id_idx ON monitoring_alert (organization_id, item_id);
CREATE INDEX monitoring_alert_organization_id_patient_id_raised_at_idx ON monitoring_alert (organization_id, patient_id, raised_at);
CREATE INDEX monitoring_alert_organization_id_patient_text_id_idx ON monitoring_alert (organization_id, patient_text_id);
CREATE INDEX monitoring_alert_organization_id_raised_at_id_idx ON monitoring_alert (organization_id, raised_at, id);
CREATE UNIQUE INDEX monitoring_alert_organization_id_reading_id_key ON monitoring_alert (organization_id, reading_id);
CREATE INDEX monitoring_alert_patient_text_due_idx ON monitoring_alert (raised_at) WHERE patient_text_due;

CREATE TABLE program_member (
  organization_id int NOT NULL,
  program_id int NOT NULL,
  user_id int NOT NULL,
  text_alerts boolean DEFAULT false NOT NULL,
  added_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  removed_at timestamptz(3),
  PRIMARY KEY (organization_id, program_id, user_id, added_at)
);
CREATE UNIQUE INDEX program_member_open_key ON program_member (organization_id, program_id, user_id) WHERE removed_at IS NULL;
CREATE INDEX program_member_organization_id_user_id_idx ON program_member (organization_id, user_id);

-- ==== Audit: tables

CREATE TABLE event (
  organization_id int NOT NULL,
  id bigserial,
  transaction_id bigint DEFAULT log_transaction() NOT NULL,
  name text NOT NULL,
  subject_type text NOT NULL,
  subject_id bigint NOT NULL,
  changed text[] DEFAULT ARRAY[]::text[],
  actor text NOT NULL,
  request_id text,
  occurred_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, transaction_id, id, occurred_at)
) PARTITION BY RANGE (occurred_at);
CREATE INDEX event_organization_id_subject_type_subject_id_transaction_i_idx ON event (organization_id, subject_type, subject_id, transaction_id, id);

CREATE TABLE event_log_start (
  organization_id int NOT NULL,
  transaction_id bigint NOT NULL,
  event_id bigint NOT NULL,
  deleted_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id)
);

CREATE TABLE audit_entry (
  organization_id int NOT NULL,
  id bigserial,
  transaction_id bigint DEFAULT log_transaction() NOT NULL,
  at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  resource text NOT NULL,
  resource_ids bigint[],
  patient_ids int[],
  operation text NOT NULL,
  request_id text,
  address text,
  detail text,
  operation_id int,
  request_uuid uuid,
  record_id bigint,
  PRIMARY KEY (organization_id, transaction_id, id, at)
) PARTITION BY RANGE (at);
-- The charts that entries of one record are about.
CREATE INDEX audit_entry_chart_idx ON audit_entry (organization_id, record_id) WHERE resource = 'patient' AND record_id IS NOT NULL;
-- The charts that entries of several records are about.
CREATE INDEX audit_entry_charts_idx ON audit_entry USING gin (resource_ids) WHERE resource = 'patient' AND resource_ids IS NOT NULL;
-- The audit of closings, of which there are few, is found among millions of rows.
CREATE INDEX audit_entry_closed_month_idx ON audit_entry (organization_id, id) WHERE resource = 'closed_month';
-- Finds the place of an entry by its id: rows lie nearly in the order of their ids, so that a page of this index has hundreds of pages
-- of the table.
CREATE INDEX audit_entry_id_idx ON audit_entry USING brin (id) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX audit_entry_patient_ids_idx ON audit_entry USING gin (patient_ids) WHERE patient_ids IS NOT NULL;

CREATE TABLE audit_operation (
  id serial,
  name text NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX audit_operation_name_key ON audit_operation (name);

CREATE TABLE audit_link (
  organization_id int NOT NULL,
  "position" bigint NOT NULL,
  audit_entry_id bigint NOT NULL,
  transaction_id bigint NOT NULL,
  key_id text NOT NULL,
  hash bytea NOT NULL,
  marks bytea NOT NULL,
  PRIMARY KEY (organization_id, "position")
);

CREATE TABLE audit_head (
  organization_id int NOT NULL,
  "position" bigint NOT NULL,
  audit_entry_id bigint NOT NULL,
  transaction_id bigint NOT NULL,
  hash bytea NOT NULL,
  events bigint NOT NULL,
  lost_position bigint DEFAULT 0 NOT NULL,
  key_id text NOT NULL,
  mac bytea NOT NULL,
  sealed_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id)
);

CREATE TABLE audit_checkpoint (
  organization_id int NOT NULL,
  "position" bigint NOT NULL,
  audit_entry_id bigint NOT NULL,
  transaction_id bigint NOT NULL,
  hash bytea NOT NULL,
  previous_position bigint NOT NULL,
  file text NOT NULL,
  place text NOT NULL,
  sha256 bytea NOT NULL,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  discarded_by text,
  discarded_at timestamptz(3),
  archived_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  key_id text NOT NULL,
  mac bytea NOT NULL,
  PRIMARY KEY (organization_id, "position")
);

CREATE TABLE audit_roll (
  id boolean DEFAULT true NOT NULL,
  organizations int[],
  key_id text NOT NULL,
  mac bytea NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT audit_roll_one_row CHECK (id)
);

-- ==== Files: tables

CREATE TABLE attachment (
  organization_id int NOT NULL,
  id bigserial,
  file_name text NOT NULL,
  media_type text NOT NULL,
  byte_length int NOT NULL,
  sha256 bytea NOT NULL,
  storage_key text NOT NULL,
  uploaded_by_user_id int,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE unclaimed_file (
  organization_id int NOT NULL,
  storage_key text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, storage_key)
);
CREATE INDEX unclaimed_file_created_at_idx ON unclaimed_file (created_at);

-- ==== Identity: tables

CREATE TABLE sign_in (
  email text NOT NULL,
  organization_id int NOT NULL,
  user_id int NOT NULL,
  password_hash text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (email)
);
CREATE INDEX sign_in_organization_id_user_id_idx ON sign_in (organization_id, user_id);

CREATE TABLE session (
  organization_id int NOT NULL,
  id uuid NOT NULL,
  user_id int NOT NULL,
  kind session_kind DEFAULT 'app' NOT NULL,
  methods text[] DEFAULT ARRAY[]::text[],
  verified_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_used_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  revoked_reason text,
  address text,
  user_agent text,
  device_id uuid,
  client_id text,
  scopes text[] DEFAULT ARRAY[]::text[],
  own_proof boolean DEFAULT true NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX session_expires_at_idx ON session (expires_at);
CREATE INDEX session_organization_id_client_id_idx ON session (organization_id, client_id);
CREATE INDEX session_organization_id_user_id_idx ON session (organization_id, user_id);

CREATE TABLE account_link (
  organization_id int NOT NULL,
  id bigserial,
  user_id int NOT NULL,
  kind account_link_kind NOT NULL,
  hash bytea NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  created_by_id int,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX account_link_expires_at_idx ON account_link (expires_at);
CREATE INDEX account_link_organization_id_created_by_id_idx ON account_link (organization_id, created_by_id);
CREATE UNIQUE INDEX account_link_organization_id_hash_key ON account_link (organization_id, hash);
CREATE INDEX account_link_organization_id_user_id_idx ON account_link (organization_id, user_id);

CREATE TABLE refresh_token (
  organization_id int NOT NULL,
  hash bytea NOT NULL,
  session_id uuid NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  used_at timestamptz(3),
  successor text,
  PRIMARY KEY (organization_id, hash)
);
CREATE INDEX refresh_token_organization_id_session_id_idx ON refresh_token (organization_id, session_id);

CREATE TABLE second_factor (
  organization_id int NOT NULL,
  id serial,
  user_id int NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  credential_id bytea,
  public_key bytea,
  counter bigint,
  transports text[] DEFAULT ARRAY[]::text[],
  secret text,
  last_step int,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_used_at timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT second_factor_kind_check CHECK (
  CASE kind
    WHEN 'passkey' THEN credential_id IS NOT NULL AND public_key IS NOT NULL AND counter IS NOT NULL AND secret IS NULL
    WHEN 'authenticator_app' THEN secret IS NOT NULL AND credential_id IS NULL AND public_key IS NULL AND counter IS NULL
    ELSE false
  END)
);
-- One authenticator app a user: a code does not say which app it is from.
CREATE UNIQUE INDEX second_factor_one_authenticator_app ON second_factor (organization_id, user_id) WHERE kind = 'authenticator_app';
CREATE UNIQUE INDEX second_factor_organization_id_credential_id_key ON second_factor (organization_id, credential_id);
CREATE INDEX second_factor_organization_id_user_id_idx ON second_factor (organization_id, user_id);
CREATE INDEX second_factor_secret_key_idx ON second_factor (split_part(secret, '.', 1)) WHERE secret IS NOT NULL;

CREATE TABLE recovery_code (
  organization_id int NOT NULL,
  hash bytea NOT NULL,
  user_id int NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  used_at timestamptz(3),
  PRIMARY KEY (organization_id, hash)
);
CREATE INDEX recovery_code_organization_id_user_id_idx ON recovery_code (organization_id, user_id);

CREATE TABLE api_client (
  id text NOT NULL,
  kind client_kind DEFAULT 'machine' NOT NULL,
  name text NOT NULL,
  scopes text[],
  jwks jsonb,
  jwks_uri text,
  redirect_uris text[] DEFAULT ARRAY[]::text[],
  active boolean DEFAULT true NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  PRIMARY KEY (id)
);

CREATE TABLE api_client_secret (
  client_id text NOT NULL,
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  hash text NOT NULL,
  prefix bytea,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  PRIMARY KEY (client_id, id)
);

CREATE TABLE client_assertion (
  client_id text NOT NULL,
  jti_hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (client_id, jti_hash)
);
CREATE INDEX client_assertion_expires_at_idx ON client_assertion (expires_at);

CREATE TABLE api_client_grant (
  organization_id int NOT NULL,
  client_id text NOT NULL,
  user_id int NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, client_id)
);
CREATE INDEX api_client_grant_client_id_idx ON api_client_grant (client_id);
CREATE INDEX api_client_grant_organization_id_user_id_idx ON api_client_grant (organization_id, user_id);

CREATE TABLE authorization_code (
  organization_id int NOT NULL,
  hash bytea NOT NULL,
  client_id text NOT NULL,
  page_session_id uuid NOT NULL,
  redirect_uri text NOT NULL,
  challenge text NOT NULL,
  scopes text[] DEFAULT ARRAY[]::text[],
  asks_proof boolean DEFAULT false NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  session_id uuid,
  PRIMARY KEY (organization_id, hash)
);
CREATE INDEX authorization_code_expires_at_idx ON authorization_code (expires_at);
CREATE INDEX authorization_code_organization_id_client_id_idx ON authorization_code (organization_id, client_id);
CREATE INDEX authorization_code_organization_id_page_session_id_idx ON authorization_code (organization_id, page_session_id);

CREATE TABLE signing_key (
  id text NOT NULL,
  public_pem text NOT NULL,
  private_pem text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  retired_at timestamptz(3),
  PRIMARY KEY (id)
);

CREATE TABLE revoked_token (
  id uuid NOT NULL,
  revoked_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX revoked_token_expires_at_idx ON revoked_token (expires_at);

CREATE TABLE sign_in_failure (
  key text NOT NULL,
  points int DEFAULT 0 NOT NULL,
  expire bigint,
  PRIMARY KEY (key)
);

CREATE UNLOGGED TABLE request_count (
  key text NOT NULL,
  taken int NOT NULL,
  ends_at timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (key)
) WITH (fillfactor=50);

CREATE TABLE security_policy (
  organization_id int NOT NULL,
  second_factor "SecondFactorPolicy" DEFAULT 'optional' NOT NULL,
  password_sign_in boolean DEFAULT true NOT NULL,
  session_life_hours int DEFAULT 720 NOT NULL,
  session_idle_minutes int,
  client_secret_days int,
  event_days int DEFAULT 90 NOT NULL,
  messaging_service_sid text,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id),
  CONSTRAINT security_policy_client_secret_days_check CHECK (client_secret_days BETWEEN 1 AND 730),
  CONSTRAINT security_policy_event_days_check CHECK (event_days BETWEEN 7 AND 3650),
  CONSTRAINT security_policy_session_idle_minutes_check CHECK (session_idle_minutes BETWEEN 5 AND 43200),
  CONSTRAINT security_policy_session_life_hours_check CHECK (session_life_hours BETWEEN 12 AND 2160)
);

CREATE TABLE identity_provider (
  organization_id int NOT NULL,
  issuer text NOT NULL,
  client_id text NOT NULL,
  client_secret text,
  scopes text[],
  groups_claim text DEFAULT 'groups' NOT NULL,
  roles jsonb DEFAULT '{}' NOT NULL,
  email_domains text[],
  just_in_time boolean DEFAULT false NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id),
  CONSTRAINT identity_provider_roles_check CHECK (jsonb_typeof(roles) = 'object')
);

CREATE TABLE mail_domain (
  domain text NOT NULL,
  organization_id int NOT NULL,
  proven_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (domain)
);
CREATE INDEX mail_domain_organization_id_idx ON mail_domain (organization_id);

CREATE TABLE external_identity (
  organization_id int NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id int NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_used_at timestamptz(3),
  PRIMARY KEY (organization_id, issuer, subject)
);
CREATE UNIQUE INDEX external_identity_organization_id_issuer_user_id_key ON external_identity (organization_id, issuer, user_id);
CREATE INDEX external_identity_organization_id_user_id_idx ON external_identity (organization_id, user_id);

CREATE TABLE external_session (
  organization_id int NOT NULL,
  session_id uuid NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  external_id text,
  id_token text,
  PRIMARY KEY (organization_id, session_id)
);
CREATE INDEX external_session_id_token_key_idx ON external_session (split_part(id_token, '.', 1)) WHERE id_token IS NOT NULL;
CREATE INDEX external_session_organization_id_issuer_external_id_idx ON external_session (organization_id, issuer, external_id);
CREATE INDEX external_session_organization_id_issuer_subject_idx ON external_session (organization_id, issuer, subject);

-- ==== Requests: tables

CREATE TABLE idempotency_record (
  organization_id int NOT NULL,
  caller text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  status int NOT NULL,
  headers jsonb NOT NULL,
  body bytea NOT NULL,
  audits jsonb NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, caller, key)
);
CREATE INDEX idempotency_record_expires_at_idx ON idempotency_record (expires_at);

CREATE TABLE webhook_endpoint (
  organization_id int NOT NULL,
  id serial,
  client_id text,
  url text NOT NULL,
  description text,
  event_names text[] DEFAULT ARRAY[]::text[],
  dialect event_dialect,
  active boolean DEFAULT true NOT NULL,
  switched_off webhook_switch_off,
  switched_off_at timestamptz(3),
  failing_since timestamptz(3),
  last_transaction_id bigint DEFAULT 0 NOT NULL,
  last_event_id bigint DEFAULT 0 NOT NULL,
  last_sequence bigint DEFAULT 0 NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX webhook_endpoint_deleted_idx ON webhook_endpoint (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX webhook_endpoint_organization_id_client_id_idx ON webhook_endpoint (organization_id, client_id);

CREATE TABLE webhook_secret (
  organization_id int NOT NULL,
  id serial,
  webhook_endpoint_id int NOT NULL,
  secret text NOT NULL,
  signing_key text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX webhook_secret_organization_id_webhook_endpoint_id_idx ON webhook_secret (organization_id, webhook_endpoint_id);

CREATE TABLE webhook_delivery (
  organization_id int NOT NULL,
  id bigserial,
  webhook_endpoint_id int NOT NULL,
  sequence bigint NOT NULL,
  replay_id int,
  event_id bigint NOT NULL,
  event_name text NOT NULL,
  subject_type text NOT NULL,
  subject_id bigint NOT NULL,
  payload text NOT NULL,
  state webhook_delivery_state DEFAULT 'pending' NOT NULL,
  attempts int DEFAULT 0 NOT NULL,
  next_attempt_at timestamptz(3),
  claimed_until timestamptz(3),
  last_attempt_at timestamptz(3),
  status int,
  failure text,
  answer text,
  finished_at timestamptz(3),
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- Of an endpoint, the deliveries that may be attempted, in the order of their time.
CREATE INDEX webhook_delivery_due_idx ON webhook_delivery (organization_id, webhook_endpoint_id, next_attempt_at, sequence) WHERE state = 'pending' AND next_attempt_at IS NOT NULL;
CREATE INDEX webhook_delivery_finished_at_idx ON webhook_delivery (finished_at);
CREATE INDEX webhook_delivery_organization_id_webhook_endpoint_id_create_idx ON webhook_delivery (organization_id, webhook_endpoint_id, created_at);
CREATE UNIQUE INDEX webhook_delivery_organization_id_webhook_endpoint_id_sequen_key ON webhook_delivery (organization_id, webhook_endpoint_id, sequence);
CREATE INDEX webhook_delivery_organization_id_webhook_endpoint_id_state__idx ON webhook_delivery (organization_id, webhook_endpoint_id, state, sequence);
-- Of a record, the deliveries that are not done, so that a later one waits for an earlier one.
CREATE INDEX webhook_delivery_subject_idx ON webhook_delivery (organization_id, webhook_endpoint_id, subject_type, subject_id, sequence) WHERE state = 'pending';

CREATE TABLE webhook_replay (
  organization_id int NOT NULL,
  id serial,
  webhook_endpoint_id int NOT NULL,
  from_time timestamptz(3) NOT NULL,
  to_time timestamptz(3) NOT NULL,
  event_names text[] DEFAULT ARRAY[]::text[],
  last_transaction_id bigint DEFAULT 0 NOT NULL,
  last_event_id bigint DEFAULT 0 NOT NULL,
  queued int DEFAULT 0 NOT NULL,
  finished_at timestamptz(3),
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX webhook_replay_open_idx ON webhook_replay (organization_id, webhook_endpoint_id) WHERE finished_at IS NULL;
CREATE INDEX webhook_replay_organization_id_webhook_endpoint_id_idx ON webhook_replay (organization_id, webhook_endpoint_id);

CREATE TABLE change_subscription (
  organization_id int NOT NULL,
  client_id text NOT NULL,
  feed change_feed NOT NULL,
  change_names text[],
  last_transaction_id bigint NOT NULL,
  last_event_id bigint NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, client_id, feed)
);

CREATE TABLE changed_record (
  organization_id int NOT NULL,
  id bigserial,
  client_id text NOT NULL,
  feed change_feed NOT NULL,
  record_id bigint NOT NULL,
  withdrawn boolean DEFAULT false NOT NULL,
  handed_out_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX changed_record_handed_out_at_idx ON changed_record (handed_out_at);
CREATE INDEX changed_record_organization_id_client_id_feed_handed_out_at_idx ON changed_record (organization_id, client_id, feed, handed_out_at, id);
-- A record waits once, however often it changes.
CREATE UNIQUE INDEX changed_record_waiting_key ON changed_record (organization_id, client_id, feed, record_id) WHERE handed_out_at IS NULL;

CREATE TABLE client_request (
  organization_id int NOT NULL,
  id bigserial,
  at timestamptz(3) NOT NULL,
  client_id text NOT NULL,
  request_id text NOT NULL,
  operation text NOT NULL,
  status int NOT NULL,
  code text,
  fields text[],
  warning_fields text[],
  latency_ms real NOT NULL,
  PRIMARY KEY (organization_id, id, at)
) PARTITION BY RANGE (at);
CREATE INDEX client_request_at_idx ON client_request USING brin (at);
CREATE INDEX client_request_organization_id_client_id_id_idx ON client_request (organization_id, client_id, id);
CREATE INDEX client_request_organization_id_request_id_idx ON client_request (organization_id, request_id);
-- Failures are few among many successes.
CREATE INDEX client_request_failures_idx ON client_request (organization_id, client_id, id) WHERE status >= 400;

CREATE TABLE request_digest (
  organization_id int NOT NULL,
  client_id text NOT NULL,
  user_id int NOT NULL,
  next_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, client_id, user_id)
);
CREATE INDEX request_digest_next_at_idx ON request_digest (next_at);
CREATE INDEX request_digest_organization_id_user_id_idx ON request_digest (organization_id, user_id);

CREATE TABLE database_size (
  day date NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (day)
);

-- ==== Imports: tables

CREATE TABLE import_run (
  organization_id int NOT NULL,
  id bigserial,
  kind text NOT NULL,
  state text DEFAULT 'receiving' NOT NULL,
  on_match text NOT NULL,
  dry_run boolean DEFAULT false NOT NULL,
  mapping jsonb DEFAULT '{}' NOT NULL,
  caller jsonb NOT NULL,
  fingerprint bytea,
  total_bytes bigint,
  received_bytes bigint DEFAULT 0 NOT NULL,
  read_bytes bigint DEFAULT 0 NOT NULL,
  format text,
  columns text[] DEFAULT ARRAY[]::text[],
  ignored_columns text[] DEFAULT ARRAY[]::text[],
  rows int DEFAULT 0 NOT NULL,
  created int DEFAULT 0 NOT NULL,
  updated int DEFAULT 0 NOT NULL,
  skipped int DEFAULT 0 NOT NULL,
  matched int DEFAULT 0 NOT NULL,
  refused int DEFAULT 0 NOT NULL,
  failure text,
  leased_until timestamptz(3),
  attempts int DEFAULT 0 NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  touched_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX import_run_organization_id_created_at_id_idx ON import_run (organization_id, created_at, id);

CREATE TABLE import_part (
  organization_id int NOT NULL,
  import_id bigint NOT NULL,
  "position" bigint NOT NULL,
  byte_length int NOT NULL,
  storage_key text NOT NULL,
  PRIMARY KEY (organization_id, import_id, "position")
);

CREATE TABLE import_report_row (
  organization_id int NOT NULL,
  import_id bigint NOT NULL,
  line int NOT NULL,
  outcome text NOT NULL,
  patient_id int,
  fields text,
  reason text NOT NULL,
  row text NOT NULL,
  PRIMARY KEY (organization_id, import_id, line)
);
CREATE INDEX import_report_row_organization_id_patient_id_idx ON import_report_row (organization_id, patient_id);

-- ==== Retention: tables

CREATE TABLE retention_policy (
  organization_id int NOT NULL,
  draft_days int,
  media_days int,
  text_days int,
  erasure boolean DEFAULT false NOT NULL,
  chart_years int DEFAULT 10 NOT NULL,
  audit_years int DEFAULT 6 NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id),
  CONSTRAINT retention_policy_audit_years_check CHECK (audit_years BETWEEN 6 AND 100),
  CONSTRAINT retention_policy_chart_years_check CHECK (chart_years BETWEEN 1 AND 100),
  CONSTRAINT retention_policy_draft_days_check CHECK (draft_days BETWEEN 1 AND 36500),
  CONSTRAINT retention_policy_media_days_check CHECK (media_days BETWEEN 30 AND 36500),
  CONSTRAINT retention_policy_text_days_check CHECK (text_days BETWEEN 90 AND 36500)
);

CREATE TABLE legal_hold (
  organization_id int NOT NULL,
  id serial,
  patient_id int,
  reason text NOT NULL,
  placed_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  lifted_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX legal_hold_organization_id_patient_id_idx ON legal_hold (organization_id, patient_id);

-- ==== Practices: foreign keys

ALTER TABLE item_key
  ADD CONSTRAINT item_key_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE organization_look
  ADD CONSTRAINT organization_look_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE provider_group
  ADD CONSTRAINT provider_group_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE office
  ADD CONSTRAINT office_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT office_organization_id_provider_group_id_fkey FOREIGN KEY (organization_id, provider_group_id) REFERENCES provider_group(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE location
  ADD CONSTRAINT location_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT location_organization_id_office_id_fkey FOREIGN KEY (organization_id, office_id) REFERENCES office(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE waiting_room
  ADD CONSTRAINT waiting_room_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT waiting_room_organization_id_office_id_fkey FOREIGN KEY (organization_id, office_id) REFERENCES office(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT waiting_room_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE "user"
  ADD CONSTRAINT user_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE provider
  ADD CONSTRAINT provider_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT provider_organization_id_home_office_id_fkey FOREIGN KEY (organization_id, home_office_id) REFERENCES office(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT provider_organization_id_supervising_provider_id_fkey FOREIGN KEY (organization_id, supervising_provider_id) REFERENCES provider(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT provider_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE provider_office
  ADD CONSTRAINT provider_office_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT provider_office_organization_id_office_id_fkey FOREIGN KEY (organization_id, office_id) REFERENCES office(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT provider_office_organization_id_provider_id_fkey FOREIGN KEY (organization_id, provider_id) REFERENCES provider(organization_id, id) ON DELETE CASCADE;

-- ==== Patients: foreign keys

ALTER TABLE patient
  ADD CONSTRAINT patient_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT patient_organization_id_employer_id_fkey FOREIGN KEY (organization_id, employer_id) REFERENCES employer(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT patient_organization_id_enterprise_id_fkey FOREIGN KEY (organization_id, enterprise_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT patient_organization_id_guarantor_employer_id_fkey FOREIGN KEY (organization_id, guarantor_employer_id) REFERENCES employer(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT patient_organization_id_location_id_fkey FOREIGN KEY (organization_id, location_id) REFERENCES location(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT patient_organization_id_merged_into_id_fkey FOREIGN KEY (organization_id, merged_into_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT patient_organization_id_primary_office_id_fkey FOREIGN KEY (organization_id, primary_office_id) REFERENCES office(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT patient_organization_id_primary_provider_id_fkey FOREIGN KEY (organization_id, primary_provider_id) REFERENCES provider(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE guardianship
  ADD CONSTRAINT guardianship_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT guardianship_organization_id_guardian_contact_id_fkey FOREIGN KEY (organization_id, guardian_contact_id) REFERENCES contact(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT guardianship_organization_id_guardian_patient_id_fkey FOREIGN KEY (organization_id, guardian_patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT guardianship_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;
ALTER TABLE patient_merge
  ADD CONSTRAINT patient_merge_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT patient_merge_organization_id_from_patient_id_fkey FOREIGN KEY (organization_id, from_patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT patient_merge_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;
ALTER TABLE patient_name_key
  ADD CONSTRAINT patient_name_key_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT patient_name_key_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;
ALTER TABLE patient_registration
  ADD CONSTRAINT patient_registration_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT patient_registration_organization_id_office_id_fkey FOREIGN KEY (organization_id, office_id) REFERENCES office(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT patient_registration_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT patient_registration_organization_id_primary_provider_id_fkey FOREIGN KEY (organization_id, primary_provider_id) REFERENCES provider(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT patient_registration_organization_id_provider_group_id_fkey FOREIGN KEY (organization_id, provider_group_id) REFERENCES provider_group(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE employer
  ADD CONSTRAINT employer_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE insurance_package
  ADD CONSTRAINT insurance_package_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE insurance
  ADD CONSTRAINT insurance_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT insurance_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;
ALTER TABLE chart_image
  ADD CONSTRAINT chart_image_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT chart_image_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;
ALTER TABLE balance
  ADD CONSTRAINT balance_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT balance_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT balance_organization_id_provider_group_id_fkey FOREIGN KEY (organization_id, provider_group_id) REFERENCES provider_group(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE balance_contract
  ADD CONSTRAINT balance_contract_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT balance_contract_organization_id_patient_id_provider_group_fkey FOREIGN KEY (organization_id, patient_id, provider_group_id) REFERENCES balance(organization_id, patient_id, provider_group_id) ON DELETE CASCADE;
ALTER TABLE claim
  ADD CONSTRAINT claim_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT claim_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;
ALTER TABLE custom_field
  ADD CONSTRAINT custom_field_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE patient_custom_field
  ADD CONSTRAINT patient_custom_field_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT patient_custom_field_organization_id_custom_field_id_fkey FOREIGN KEY (organization_id, custom_field_id) REFERENCES custom_field(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT patient_custom_field_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;
ALTER TABLE portal_account
  ADD CONSTRAINT portal_account_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT portal_account_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;
ALTER TABLE privacy_restriction
  ADD CONSTRAINT privacy_restriction_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT privacy_restriction_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;
ALTER TABLE chart_opening
  ADD CONSTRAINT chart_opening_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT chart_opening_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT chart_opening_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE privacy_item
  ADD CONSTRAINT privacy_item_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT privacy_item_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;

-- ==== Scheduling: foreign keys

ALTER TABLE appointment_type
  ADD CONSTRAINT appointment_type_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE appointment
  ADD CONSTRAINT appointment_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT appointment_organization_id_booked_by_user_id_fkey FOREIGN KEY (organization_id, booked_by_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT appointment_organization_id_created_by_user_id_fkey FOREIGN KEY (organization_id, created_by_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT appointment_organization_id_location_id_fkey FOREIGN KEY (organization_id, location_id) REFERENCES location(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT appointment_organization_id_office_id_fkey FOREIGN KEY (organization_id, office_id) REFERENCES office(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT appointment_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT appointment_organization_id_provider_id_fkey FOREIGN KEY (organization_id, provider_id) REFERENCES provider(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT appointment_organization_id_waiting_room_id_fkey FOREIGN KEY (organization_id, waiting_room_id) REFERENCES waiting_room(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT appointment_own_type_fkey FOREIGN KEY (organization_id, own_type_id) REFERENCES appointment_type(organization_id, id);
ALTER TABLE user_appointment
  ADD CONSTRAINT user_appointment_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT user_appointment_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT user_appointment_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;
ALTER TABLE appointment_reminder
  ADD CONSTRAINT appointment_reminder_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT appointment_reminder_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE CASCADE;
ALTER TABLE availability
  ADD CONSTRAINT availability_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT availability_organization_id_office_id_fkey FOREIGN KEY (organization_id, office_id) REFERENCES office(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT availability_organization_id_provider_id_fkey FOREIGN KEY (organization_id, provider_id) REFERENCES provider(organization_id, id) ON DELETE CASCADE;
ALTER TABLE availability_exception
  ADD CONSTRAINT availability_exception_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT availability_exception_organization_id_office_id_fkey FOREIGN KEY (organization_id, office_id) REFERENCES office(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT availability_exception_organization_id_provider_id_fkey FOREIGN KEY (organization_id, provider_id) REFERENCES provider(organization_id, id) ON DELETE CASCADE;
ALTER TABLE slot
  ADD CONSTRAINT slot_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT slot_organization_id_office_id_fkey FOREIGN KEY (organization_id, office_id) REFERENCES office(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT slot_organization_id_provider_id_fkey FOREIGN KEY (organization_id, provider_id) REFERENCES provider(organization_id, id) ON DELETE CASCADE;
ALTER TABLE slot_claim
  ADD CONSTRAINT slot_claim_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT slot_claim_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT slot_claim_organization_id_slot_id_fkey FOREIGN KEY (organization_id, slot_id) REFERENCES slot(organization_id, id) ON DELETE CASCADE;
ALTER TABLE appointment_note
  ADD CONSTRAINT appointment_note_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT appointment_note_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT appointment_note_organization_id_created_by_user_id_fkey FOREIGN KEY (organization_id, created_by_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE recall
  ADD CONSTRAINT recall_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT recall_organization_id_office_id_fkey FOREIGN KEY (organization_id, office_id) REFERENCES office(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT recall_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT recall_organization_id_provider_id_fkey FOREIGN KEY (organization_id, provider_id) REFERENCES provider(organization_id, id) ON DELETE RESTRICT;

-- ==== Booking: foreign keys

ALTER TABLE waitlist_entry
  ADD CONSTRAINT waitlist_entry_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT waitlist_entry_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT waitlist_entry_organization_id_office_id_fkey FOREIGN KEY (organization_id, office_id) REFERENCES office(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT waitlist_entry_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT waitlist_entry_organization_id_provider_id_fkey FOREIGN KEY (organization_id, provider_id) REFERENCES provider(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE freed_time
  ADD CONSTRAINT freed_time_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT freed_time_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT freed_time_organization_id_provider_id_fkey FOREIGN KEY (organization_id, provider_id) REFERENCES provider(organization_id, id) ON DELETE CASCADE;
ALTER TABLE slot_offer
  ADD CONSTRAINT slot_offer_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT slot_offer_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT slot_offer_organization_id_entry_id_fkey FOREIGN KEY (organization_id, entry_id) REFERENCES waitlist_entry(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT slot_offer_organization_id_link_id_fkey FOREIGN KEY (organization_id, link_id) REFERENCES booking_link(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT slot_offer_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT slot_offer_organization_id_provider_id_fkey FOREIGN KEY (organization_id, provider_id) REFERENCES provider(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE booking_link
  ADD CONSTRAINT booking_link_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT booking_link_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT booking_link_organization_id_mail_message_id_fkey FOREIGN KEY (organization_id, mail_message_id) REFERENCES mail_message(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT booking_link_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT booking_link_organization_id_sms_message_id_fkey FOREIGN KEY (organization_id, sms_message_id) REFERENCES sms_message(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE appointment_series
  ADD CONSTRAINT appointment_series_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT appointment_series_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT;

-- ==== Messaging: foreign keys

ALTER TABLE contact
  ADD CONSTRAINT contact_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT contact_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;
ALTER TABLE contact_tag
  ADD CONSTRAINT contact_tag_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE contact_contact_tag
  ADD CONSTRAINT contact_contact_tag_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT contact_contact_tag_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT contact_contact_tag_organization_id_contact_tag_id_fkey FOREIGN KEY (organization_id, contact_tag_id) REFERENCES contact_tag(organization_id, id) ON DELETE CASCADE;
ALTER TABLE chat
  ADD CONSTRAINT chat_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE chat_member
  ADD CONSTRAINT chat_member_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT chat_member_organization_id_chat_id_fkey FOREIGN KEY (organization_id, chat_id) REFERENCES chat(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT chat_member_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;
ALTER TABLE inbox_item
  ADD CONSTRAINT inbox_item_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT inbox_item_organization_id_acknowledged_by_user_id_fkey FOREIGN KEY (organization_id, acknowledged_by_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT inbox_item_organization_id_assigned_user_id_fkey FOREIGN KEY (organization_id, assigned_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT inbox_item_organization_id_chat_id_fkey FOREIGN KEY (organization_id, chat_id) REFERENCES chat(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT inbox_item_organization_id_closed_by_user_id_fkey FOREIGN KEY (organization_id, closed_by_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT inbox_item_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE inbox_entry
  ADD CONSTRAINT inbox_entry_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT inbox_entry_organization_id_inbox_item_id_fkey FOREIGN KEY (organization_id, inbox_item_id) REFERENCES inbox_item(organization_id, id) ON DELETE CASCADE;
ALTER TABLE phone_number
  ADD CONSTRAINT phone_number_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT phone_number_organization_id_chat_id_fkey FOREIGN KEY (organization_id, chat_id) REFERENCES chat(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE incoming_call
  ADD CONSTRAINT incoming_call_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT incoming_call_organization_id_chat_id_fkey FOREIGN KEY (organization_id, chat_id) REFERENCES chat(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT incoming_call_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT incoming_call_organization_id_phone_number_id_fkey FOREIGN KEY (organization_id, phone_number_id) REFERENCES phone_number(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE voice_pager_message
  ADD CONSTRAINT voice_pager_message_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT voice_pager_message_organization_id_attachment_id_fkey FOREIGN KEY (organization_id, attachment_id) REFERENCES attachment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT voice_pager_message_organization_id_chat_id_fkey FOREIGN KEY (organization_id, chat_id) REFERENCES chat(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT voice_pager_message_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT voice_pager_message_organization_id_phone_number_id_fkey FOREIGN KEY (organization_id, phone_number_id) REFERENCES phone_number(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE sms_template
  ADD CONSTRAINT sms_template_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE visit_message_rule
  ADD CONSTRAINT visit_message_rule_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT visit_message_rule_organization_id_template_id_fkey FOREIGN KEY (organization_id, template_id) REFERENCES sms_template(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE visit_message
  ADD CONSTRAINT visit_message_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT visit_message_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT visit_message_organization_id_mail_message_id_fkey FOREIGN KEY (organization_id, mail_message_id) REFERENCES mail_message(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT visit_message_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT visit_message_organization_id_sms_message_id_fkey FOREIGN KEY (organization_id, sms_message_id) REFERENCES sms_message(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE sms_template_variant
  ADD CONSTRAINT sms_template_variant_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT sms_template_variant_organization_id_template_id_fkey FOREIGN KEY (organization_id, template_id) REFERENCES sms_template(organization_id, id) ON DELETE CASCADE;
ALTER TABLE sms_message
  ADD CONSTRAINT sms_message_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT sms_message_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT sms_message_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT sms_message_organization_id_template_id_fkey FOREIGN KEY (organization_id, template_id) REFERENCES sms_template(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE text_picture
  ADD CONSTRAINT text_picture_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT text_picture_organization_id_attachment_id_fkey FOREIGN KEY (organization_id, attachment_id) REFERENCES attachment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT text_picture_organization_id_sms_message_id_fkey FOREIGN KEY (organization_id, sms_message_id) REFERENCES sms_message(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE text_appointment
  ADD CONSTRAINT text_appointment_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT text_appointment_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT text_appointment_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT text_appointment_organization_id_sms_message_id_fkey FOREIGN KEY (organization_id, sms_message_id) REFERENCES sms_message(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE mail_message
  ADD CONSTRAINT mail_message_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT mail_message_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE opt_out
  ADD CONSTRAINT opt_out_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT opt_out_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE canned_reply
  ADD CONSTRAINT canned_reply_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE survey_type
  ADD CONSTRAINT survey_type_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE check_in
  ADD CONSTRAINT check_in_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT check_in_organization_id_mail_message_id_fkey FOREIGN KEY (organization_id, mail_message_id) REFERENCES mail_message(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT check_in_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT check_in_organization_id_scheduled_check_in_id_fkey FOREIGN KEY (organization_id, scheduled_check_in_id) REFERENCES scheduled_check_in(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT check_in_organization_id_sms_message_id_fkey FOREIGN KEY (organization_id, sms_message_id) REFERENCES sms_message(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT check_in_organization_id_survey_type_id_fkey FOREIGN KEY (organization_id, survey_type_id) REFERENCES survey_type(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE reading
  ADD CONSTRAINT reading_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT reading_organization_id_check_in_id_fkey FOREIGN KEY (organization_id, check_in_id) REFERENCES check_in(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT reading_organization_id_device_id_fkey FOREIGN KEY (organization_id, device_id) REFERENCES monitoring_device(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT reading_organization_id_item_id_fkey FOREIGN KEY (organization_id, item_id) REFERENCES item(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT reading_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT reading_organization_id_recorded_by_user_id_fkey FOREIGN KEY (organization_id, recorded_by_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE scheduled_check_in
  ADD CONSTRAINT scheduled_check_in_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE scheduled_check_in_survey
  ADD CONSTRAINT scheduled_check_in_survey_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT scheduled_check_in_survey_organization_id_scheduled_check__fkey FOREIGN KEY (organization_id, scheduled_check_in_id) REFERENCES scheduled_check_in(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT scheduled_check_in_survey_organization_id_survey_type_id_fkey FOREIGN KEY (organization_id, survey_type_id) REFERENCES survey_type(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE scheduled_check_in_recipient
  ADD CONSTRAINT scheduled_check_in_recipient_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT scheduled_check_in_recipient_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT scheduled_check_in_recipient_organization_id_scheduled_che_fkey FOREIGN KEY (organization_id, scheduled_check_in_id) REFERENCES scheduled_check_in(organization_id, id) ON DELETE CASCADE;
ALTER TABLE external_message
  ADD CONSTRAINT external_message_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT external_message_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contact(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT external_message_organization_id_mail_message_id_fkey FOREIGN KEY (organization_id, mail_message_id) REFERENCES mail_message(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT external_message_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT external_message_organization_id_sms_message_id_fkey FOREIGN KEY (organization_id, sms_message_id) REFERENCES sms_message(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE link_code
  ADD CONSTRAINT link_code_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT link_code_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE external_message_attachment
  ADD CONSTRAINT external_message_attachment_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT external_message_attachment_organization_id_attachment_id_fkey FOREIGN KEY (organization_id, attachment_id) REFERENCES attachment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT external_message_attachment_organization_id_external_messa_fkey FOREIGN KEY (organization_id, external_message_id) REFERENCES external_message(organization_id, id) ON DELETE CASCADE;

-- ==== Telehealth: foreign keys

ALTER TABLE video_session
  ADD CONSTRAINT video_session_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT video_session_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT video_session_organization_id_host_user_id_fkey FOREIGN KEY (organization_id, host_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE session_host_link
  ADD CONSTRAINT session_host_link_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT session_host_link_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_host_link_organization_id_video_session_id_fkey FOREIGN KEY (organization_id, video_session_id) REFERENCES video_session(organization_id, id) ON DELETE CASCADE;
ALTER TABLE session_participant
  ADD CONSTRAINT session_participant_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT session_participant_organization_id_invite_id_fkey FOREIGN KEY (organization_id, invite_id) REFERENCES session_invite(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_participant_organization_id_video_session_id_fkey FOREIGN KEY (organization_id, video_session_id) REFERENCES video_session(organization_id, id) ON DELETE CASCADE;
ALTER TABLE session_chat_message
  ADD CONSTRAINT session_chat_message_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT session_chat_message_organization_id_participant_id_fkey FOREIGN KEY (organization_id, participant_id) REFERENCES session_participant(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_chat_message_organization_id_video_session_id_fkey FOREIGN KEY (organization_id, video_session_id) REFERENCES video_session(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE late_notice
  ADD CONSTRAINT late_notice_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT late_notice_organization_id_participant_id_fkey FOREIGN KEY (organization_id, participant_id) REFERENCES session_participant(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT late_notice_organization_id_sms_message_id_fkey FOREIGN KEY (organization_id, sms_message_id) REFERENCES sms_message(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT late_notice_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT late_notice_organization_id_waiting_room_visit_id_fkey FOREIGN KEY (organization_id, waiting_room_visit_id) REFERENCES waiting_room_visit(organization_id, id) ON DELETE CASCADE;
ALTER TABLE session_image
  ADD CONSTRAINT session_image_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT session_image_organization_id_attachment_id_fkey FOREIGN KEY (organization_id, attachment_id) REFERENCES attachment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_image_organization_id_maker_participant_id_fkey FOREIGN KEY (organization_id, maker_participant_id) REFERENCES session_participant(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_image_organization_id_maker_user_id_fkey FOREIGN KEY (organization_id, maker_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_image_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_image_organization_id_shown_participant_id_fkey FOREIGN KEY (organization_id, shown_participant_id) REFERENCES session_participant(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_image_organization_id_thumbnail_attachment_id_fkey FOREIGN KEY (organization_id, thumbnail_attachment_id) REFERENCES attachment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_image_organization_id_video_session_id_fkey FOREIGN KEY (organization_id, video_session_id) REFERENCES video_session(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE session_video
  ADD CONSTRAINT session_video_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT session_video_organization_id_attachment_id_fkey FOREIGN KEY (organization_id, attachment_id) REFERENCES attachment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_video_organization_id_maker_participant_id_fkey FOREIGN KEY (organization_id, maker_participant_id) REFERENCES session_participant(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_video_organization_id_maker_user_id_fkey FOREIGN KEY (organization_id, maker_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_video_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_video_organization_id_shown_participant_id_fkey FOREIGN KEY (organization_id, shown_participant_id) REFERENCES session_participant(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_video_organization_id_thumbnail_attachment_id_fkey FOREIGN KEY (organization_id, thumbnail_attachment_id) REFERENCES attachment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_video_organization_id_video_session_id_fkey FOREIGN KEY (organization_id, video_session_id) REFERENCES video_session(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE still_request
  ADD CONSTRAINT still_request_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT still_request_organization_id_host_id_fkey FOREIGN KEY (organization_id, host_id) REFERENCES session_participant(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT still_request_organization_id_image_id_fkey FOREIGN KEY (organization_id, image_id) REFERENCES session_image(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT still_request_organization_id_participant_id_fkey FOREIGN KEY (organization_id, participant_id) REFERENCES session_participant(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT still_request_organization_id_video_session_id_fkey FOREIGN KEY (organization_id, video_session_id) REFERENCES video_session(organization_id, id) ON DELETE CASCADE;
ALTER TABLE session_invite
  ADD CONSTRAINT session_invite_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT session_invite_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_invite_organization_id_mail_message_id_fkey FOREIGN KEY (organization_id, mail_message_id) REFERENCES mail_message(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_invite_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_invite_organization_id_sms_message_id_fkey FOREIGN KEY (organization_id, sms_message_id) REFERENCES sms_message(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT session_invite_organization_id_video_session_id_fkey FOREIGN KEY (organization_id, video_session_id) REFERENCES video_session(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT session_invite_organization_id_waiting_room_id_fkey FOREIGN KEY (organization_id, waiting_room_id) REFERENCES waiting_room(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE telehealth_visit
  ADD CONSTRAINT telehealth_visit_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT telehealth_visit_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT telehealth_visit_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT telehealth_visit_organization_id_video_session_id_fkey FOREIGN KEY (organization_id, video_session_id) REFERENCES video_session(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE waiting_room_visit
  ADD CONSTRAINT waiting_room_visit_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT waiting_room_visit_organization_id_appointment_id_fkey FOREIGN KEY (organization_id, appointment_id) REFERENCES appointment(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT waiting_room_visit_organization_id_invite_id_fkey FOREIGN KEY (organization_id, invite_id) REFERENCES session_invite(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT waiting_room_visit_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT waiting_room_visit_organization_id_video_session_id_fkey FOREIGN KEY (organization_id, video_session_id) REFERENCES video_session(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT waiting_room_visit_organization_id_waiting_room_id_fkey FOREIGN KEY (organization_id, waiting_room_id) REFERENCES waiting_room(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE user_review_url
  ADD CONSTRAINT user_review_url_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT user_review_url_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;

-- ==== Monitoring: foreign keys

ALTER TABLE program
  ADD CONSTRAINT program_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE workflow_step
  ADD CONSTRAINT workflow_step_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT workflow_step_organization_id_program_id_fkey FOREIGN KEY (organization_id, program_id) REFERENCES program(organization_id, id) ON DELETE CASCADE;
ALTER TABLE program_patient
  ADD CONSTRAINT program_patient_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT program_patient_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT program_patient_organization_id_program_id_fkey FOREIGN KEY (organization_id, program_id) REFERENCES program(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT program_patient_organization_id_step_id_fkey FOREIGN KEY (organization_id, step_id) REFERENCES workflow_step(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE workflow_event
  ADD CONSTRAINT workflow_event_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT workflow_event_organization_id_program_patient_id_fkey FOREIGN KEY (organization_id, program_patient_id) REFERENCES program_patient(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT workflow_event_organization_id_step_id_fkey FOREIGN KEY (organization_id, step_id) REFERENCES workflow_step(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT workflow_event_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE item
  ADD CONSTRAINT item_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE monitoring_device
  ADD CONSTRAINT monitoring_device_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE device_assignment
  ADD CONSTRAINT device_assignment_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT device_assignment_organization_id_device_id_fkey FOREIGN KEY (organization_id, device_id) REFERENCES monitoring_device(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT device_assignment_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;
ALTER TABLE tracked_condition
  ADD CONSTRAINT tracked_condition_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT tracked_condition_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT tracked_condition_organization_id_provider_id_fkey FOREIGN KEY (organization_id, provider_id) REFERENCES provider(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT tracked_condition_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE tracked_condition_item
  ADD CONSTRAINT tracked_condition_item_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT tracked_condition_item_organization_id_item_id_fkey FOREIGN KEY (organization_id, item_id) REFERENCES item(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT tracked_condition_item_organization_id_tracked_condition_i_fkey FOREIGN KEY (organization_id, tracked_condition_id) REFERENCES tracked_condition(organization_id, id) ON DELETE CASCADE;
ALTER TABLE monitoring_consent
  ADD CONSTRAINT monitoring_consent_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT monitoring_consent_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT monitoring_consent_organization_id_recorded_by_user_id_fkey FOREIGN KEY (organization_id, recorded_by_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE check_in_review
  ADD CONSTRAINT check_in_review_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT check_in_review_organization_id_check_in_id_fkey FOREIGN KEY (organization_id, check_in_id) REFERENCES check_in(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT check_in_review_organization_id_created_by_id_fkey FOREIGN KEY (organization_id, created_by_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT check_in_review_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT check_in_review_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE review_release
  ADD CONSTRAINT review_release_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT review_release_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT review_release_organization_id_released_by_id_fkey FOREIGN KEY (organization_id, released_by_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT review_release_organization_id_review_id_fkey FOREIGN KEY (organization_id, review_id) REFERENCES check_in_review(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE closed_month
  ADD CONSTRAINT closed_month_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT closed_month_organization_id_closed_by_id_fkey FOREIGN KEY (organization_id, closed_by_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE closed_ledger_row
  ADD CONSTRAINT closed_ledger_row_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT closed_ledger_row_organization_id_month_fkey FOREIGN KEY (organization_id, month) REFERENCES closed_month(organization_id, month) DEFERRABLE INITIALLY DEFERRED,
  ADD CONSTRAINT closed_ledger_row_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT closed_ledger_row_organization_id_recorded_by_id_fkey FOREIGN KEY (organization_id, recorded_by_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE month_closing
  ADD CONSTRAINT month_closing_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT month_closing_organization_id_requested_by_id_fkey FOREIGN KEY (organization_id, requested_by_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE month_closing_row
  ADD CONSTRAINT month_closing_row_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT month_closing_row_organization_id_closing_id_fkey FOREIGN KEY (organization_id, closing_id) REFERENCES month_closing(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT month_closing_row_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE push_subscription
  ADD CONSTRAINT push_subscription_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT push_subscription_organization_id_session_id_fkey FOREIGN KEY (organization_id, session_id) REFERENCES session(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT push_subscription_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;
ALTER TABLE notification
  ADD CONSTRAINT notification_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT notification_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;
ALTER TABLE push_delivery
  ADD CONSTRAINT push_delivery_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT push_delivery_organization_id_notification_id_fkey FOREIGN KEY (organization_id, notification_id) REFERENCES notification(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT push_delivery_organization_id_subscription_id_fkey FOREIGN KEY (organization_id, subscription_id) REFERENCES push_subscription(organization_id, id) ON DELETE CASCADE;

-- ==== Alerts: foreign keys

ALTER TABLE monitoring_alert
  ADD CONSTRAINT monitoring_alert_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT monitoring_alert_organization_id_acknowledged_by_user_id_fkey FOREIGN KEY (organization_id, acknowledged_by_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT monitoring_alert_organization_id_check_in_id_fkey FOREIGN KEY (organization_id, check_in_id) REFERENCES check_in(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT monitoring_alert_organization_id_closed_by_user_id_fkey FOREIGN KEY (organization_id, closed_by_user_id) REFERENCES "user"(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT monitoring_alert_organization_id_item_id_fkey FOREIGN KEY (organization_id, item_id) REFERENCES item(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT monitoring_alert_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT monitoring_alert_organization_id_patient_text_id_fkey FOREIGN KEY (organization_id, patient_text_id) REFERENCES sms_message(organization_id, id) ON DELETE RESTRICT,
  ADD CONSTRAINT monitoring_alert_organization_id_reading_id_fkey FOREIGN KEY (organization_id, reading_id) REFERENCES reading(organization_id, id) ON DELETE RESTRICT;
ALTER TABLE program_member
  ADD CONSTRAINT program_member_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT program_member_organization_id_program_id_fkey FOREIGN KEY (organization_id, program_id) REFERENCES program(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT program_member_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;

-- ==== Audit: foreign keys

ALTER TABLE event_log_start
  ADD CONSTRAINT event_log_start_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE audit_link
  ADD CONSTRAINT audit_link_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE audit_head
  ADD CONSTRAINT audit_head_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE audit_checkpoint
  ADD CONSTRAINT audit_checkpoint_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);

-- ==== Files: foreign keys

ALTER TABLE attachment
  ADD CONSTRAINT attachment_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE unclaimed_file
  ADD CONSTRAINT unclaimed_file_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);

-- ==== Identity: foreign keys

ALTER TABLE sign_in
  ADD CONSTRAINT sign_in_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT sign_in_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;
ALTER TABLE session
  ADD CONSTRAINT session_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT session_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES api_client_grant(organization_id, client_id) ON DELETE CASCADE,
  ADD CONSTRAINT session_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;
ALTER TABLE account_link
  ADD CONSTRAINT account_link_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT account_link_organization_id_created_by_id_fkey FOREIGN KEY (organization_id, created_by_id) REFERENCES "user"(organization_id, id),
  ADD CONSTRAINT account_link_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;
ALTER TABLE refresh_token
  ADD CONSTRAINT refresh_token_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT refresh_token_organization_id_session_id_fkey FOREIGN KEY (organization_id, session_id) REFERENCES session(organization_id, id) ON DELETE CASCADE;
ALTER TABLE second_factor
  ADD CONSTRAINT second_factor_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT second_factor_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;
ALTER TABLE recovery_code
  ADD CONSTRAINT recovery_code_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT recovery_code_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;
ALTER TABLE api_client_secret
  ADD CONSTRAINT api_client_secret_client_id_fkey FOREIGN KEY (client_id) REFERENCES api_client(id) ON DELETE CASCADE;
ALTER TABLE client_assertion
  ADD CONSTRAINT client_assertion_client_id_fkey FOREIGN KEY (client_id) REFERENCES api_client(id) ON DELETE CASCADE;
ALTER TABLE api_client_grant
  ADD CONSTRAINT api_client_grant_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT api_client_grant_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;
ALTER TABLE authorization_code
  ADD CONSTRAINT authorization_code_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT authorization_code_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES api_client_grant(organization_id, client_id) ON DELETE CASCADE,
  ADD CONSTRAINT authorization_code_organization_id_page_session_id_fkey FOREIGN KEY (organization_id, page_session_id) REFERENCES session(organization_id, id) ON DELETE CASCADE;
ALTER TABLE security_policy
  ADD CONSTRAINT security_policy_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE identity_provider
  ADD CONSTRAINT identity_provider_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE mail_domain
  ADD CONSTRAINT mail_domain_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES identity_provider(organization_id) ON DELETE CASCADE;
ALTER TABLE external_identity
  ADD CONSTRAINT external_identity_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT external_identity_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;
ALTER TABLE external_session
  ADD CONSTRAINT external_session_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT external_session_organization_id_session_id_fkey FOREIGN KEY (organization_id, session_id) REFERENCES session(organization_id, id) ON DELETE CASCADE;

-- ==== Requests: foreign keys

ALTER TABLE idempotency_record
  ADD CONSTRAINT idempotency_record_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE webhook_endpoint
  ADD CONSTRAINT webhook_endpoint_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT webhook_endpoint_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES api_client_grant(organization_id, client_id) ON DELETE CASCADE;
ALTER TABLE webhook_secret
  ADD CONSTRAINT webhook_secret_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT webhook_secret_organization_id_webhook_endpoint_id_fkey FOREIGN KEY (organization_id, webhook_endpoint_id) REFERENCES webhook_endpoint(organization_id, id) ON DELETE CASCADE;
ALTER TABLE webhook_delivery
  ADD CONSTRAINT webhook_delivery_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT webhook_delivery_organization_id_webhook_endpoint_id_fkey FOREIGN KEY (organization_id, webhook_endpoint_id) REFERENCES webhook_endpoint(organization_id, id) ON DELETE CASCADE;
ALTER TABLE webhook_replay
  ADD CONSTRAINT webhook_replay_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT webhook_replay_organization_id_webhook_endpoint_id_fkey FOREIGN KEY (organization_id, webhook_endpoint_id) REFERENCES webhook_endpoint(organization_id, id) ON DELETE CASCADE;
ALTER TABLE change_subscription
  ADD CONSTRAINT change_subscription_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT change_subscription_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES api_client_grant(organization_id, client_id) ON DELETE CASCADE;
ALTER TABLE changed_record
  ADD CONSTRAINT changed_record_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT changed_record_organization_id_client_id_feed_fkey FOREIGN KEY (organization_id, client_id, feed) REFERENCES change_subscription(organization_id, client_id, feed) ON DELETE CASCADE;
ALTER TABLE request_digest
  ADD CONSTRAINT request_digest_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT request_digest_organization_id_client_id_fkey FOREIGN KEY (organization_id, client_id) REFERENCES api_client_grant(organization_id, client_id) ON DELETE CASCADE,
  ADD CONSTRAINT request_digest_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES "user"(organization_id, id) ON DELETE CASCADE;

-- ==== Imports: foreign keys

ALTER TABLE import_run
  ADD CONSTRAINT import_run_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE import_part
  ADD CONSTRAINT import_part_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT import_part_organization_id_import_id_fkey FOREIGN KEY (organization_id, import_id) REFERENCES import_run(organization_id, id) ON DELETE CASCADE;
ALTER TABLE import_report_row
  ADD CONSTRAINT import_report_row_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT import_report_row_organization_id_import_id_fkey FOREIGN KEY (organization_id, import_id) REFERENCES import_run(organization_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT import_report_row_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE CASCADE;

-- ==== Retention: foreign keys

ALTER TABLE retention_policy
  ADD CONSTRAINT retention_policy_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);
ALTER TABLE legal_hold
  ADD CONSTRAINT legal_hold_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  ADD CONSTRAINT legal_hold_organization_id_patient_id_fkey FOREIGN KEY (organization_id, patient_id) REFERENCES patient(organization_id, id) ON DELETE RESTRICT;

-- ==== Used by several areas: functions and triggers

-- The keys of a folded last name, without separators: of the whole name, and of the rest of it after each separator. shared_length is
-- the greatest number of characters that a key has in common with an earlier one: "garcia-garza" matches "gar" once.
DO $$
BEGIN
  EXECUTE format($f$
    CREATE FUNCTION name_keys(name text) RETURNS TABLE (ordinal int, last_key text, shared_length int)
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

-- The logs and the audit's seals are append-only.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;

-- One of 64 advisory locks for a number: an import of many charts in one transaction holds no more than these.
CREATE FUNCTION consent_lock(number text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT 7410300::bigint + (hashtext($1) & 63);
$$;

-- The partitions of the logs, each with the instants that its rows are not before, and are before. Both are null for the default one, and
-- the lower one for a first partition without a lower end.
CREATE FUNCTION log_partitions() RETURNS TABLE (log text, name text, lower timestamptz, upper timestamptz)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT p.relname::text, c.relname::text,
         substring(b.bound FROM $r$FROM \('([^']+)'\)$r$)::timestamptz, substring(b.bound FROM $r$TO \('([^']+)'\)$r$)::timestamptz
    FROM pg_inherits i
    JOIN pg_class p ON p.oid = i.inhparent
    JOIN pg_class c ON c.oid = i.inhrelid
   CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) b
   WHERE i.inhparent IN (to_regclass('audit_entry'), to_regclass('event'), to_regclass('client_request')) AND p.relkind = 'p' AND c.relkind = 'r'
$$;

-- The column by which a log is divided.
CREATE FUNCTION log_partition_column(log text) RETURNS text LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT a.attname::text FROM pg_partitioned_table t JOIN pg_attribute a ON a.attrelid = t.partrelid AND a.attnum = t.partattrs[0]
   WHERE t.partrelid = to_regclass(log)
$$;

-- A partition is written through its log alone: nobody has privileges on it, and rows are neither changed nor truncated there.
CREATE FUNCTION guard_log_partition(log text, partition text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  command text;
BEGIN
  FOR command IN
    SELECT DISTINCT format('REVOKE ALL ON TABLE %I FROM %s', partition, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END)
      FROM pg_class c, aclexplode(c.relacl) a
     WHERE c.oid = to_regclass(quote_ident(partition)) AND a.grantee <> c.relowner
     UNION ALL
    -- Triggers of rows come with the log, those of statements do not.
    SELECT replace(pg_get_triggerdef(t.oid, true), format(' ON %s ', t.tgrelid::regclass), format(' ON %I ', partition))
      FROM (SELECT * FROM pg_trigger WHERE tgrelid = to_regclass(quote_ident(log)) AND NOT tgisinternal AND tgtype & 1 = 0) t
     WHERE NOT EXISTS (SELECT FROM pg_trigger o WHERE o.tgrelid = to_regclass(quote_ident(partition)) AND o.tgname = t.tgname)
  LOOP
    EXECUTE command;
  END LOOP;
END $$;

-- Makes a partition of a log, and moves the rows that belong there from the default partition into it. A row is moved as it is, without
-- the triggers of an insert. Without a lower instant it has all rows from before the upper one.
CREATE FUNCTION attach_log_partition(log text, partition text, lower timestamptz, upper timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  rest CONSTANT text := log || '_default';
  belongs CONSTANT text := format('%I >= coalesce($1, ''-infinity'') AND %1$I < $2', log_partition_column(log));
  misplaced boolean;
BEGIN
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION)', partition, log);
  EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I WHERE %s)', rest, belongs) INTO misplaced USING lower, upper;
  IF misplaced THEN
    -- The locks of the attachment below, in its order.
    EXECUTE format('LOCK TABLE ONLY %I IN SHARE UPDATE EXCLUSIVE MODE', log);
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', rest);
    EXECUTE format('INSERT INTO %I SELECT * FROM %I WHERE %s', partition, rest, belongs) USING lower, upper;
    EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', rest);
    EXECUTE format('DELETE FROM %I WHERE %s', rest, belongs) USING lower, upper;
    EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', rest);
  END IF;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%L)', log, partition, coalesce(quote_literal(lower), 'MINVALUE'), upper);
  PERFORM guard_log_partition(log, partition);
END $$;

-- Makes the partition of one month of a log. Returns its name; null where the month has one.
CREATE FUNCTION add_log_partition(log text, month timestamptz) RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  made CONSTANT text := format('%s_%s', log, to_char(month AT TIME ZONE 'UTC', 'YYYY_MM'));
BEGIN
  IF EXISTS (SELECT FROM log_partitions() p WHERE p.log = add_log_partition.log AND coalesce(p.lower, '-infinity') <= month AND p.upper > month)
  THEN
    RETURN NULL;
  END IF;
  PERFORM attach_log_partition(log, made, month, ((month AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC');
  RETURN made;
END $$;

-- Makes the partitions that the logs lack: of this month and the next three, and of past months, from 2000 on, of which the default
-- partition has rows. It is called by each process again and again, waits for a lock on a table for half a second at most and fails then:
-- until it is called again, rows go into the default partition. Returns the names of those that it made.
CREATE FUNCTION make_log_partitions() RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
DECLARE
  this_month CONSTANT timestamptz := date_trunc('month', now(), 'UTC');
  divided text;
  months timestamptz[];
  month timestamptz;
  made text[] := '{}';
BEGIN
  FOR divided IN SELECT DISTINCT p.log FROM log_partitions() p ORDER BY 1 LOOP
    EXECUTE format($q$
      SELECT array_agg(wanted ORDER BY wanted) FROM (
        SELECT ($1 AT TIME ZONE 'UTC' + n * interval '1 month') AT TIME ZONE 'UTC' AS wanted FROM generate_series(0, 3) n
         UNION
        SELECT date_trunc('month', %I, 'UTC') FROM %I WHERE %1$I >= '2000-01-01Z' AND %1$I < $1) months
       WHERE NOT EXISTS (SELECT FROM log_partitions() p WHERE p.log = $2 AND coalesce(p.lower, '-infinity') <= wanted AND p.upper > wanted)
    $q$, log_partition_column(divided), divided || '_default') INTO months USING this_month, divided;
    FOREACH month IN ARRAY coalesce(months, '{}') LOOP
      -- Another process makes them already. The value is arbitrary.
      IF NOT pg_try_advisory_xact_lock(7410271) THEN
        RETURN made;
      END IF;
      made := array_remove(made || add_log_partition(divided, month), NULL);
    END LOOP;
  END LOOP;
  RETURN made;
END $$;

-- Drops a partition of a log whose rows are all from before an instant. Returns false, and drops nothing, while a backup is under way:
-- it could not read any more what was there when it began (src/backup/snapshot.ts has the same key). Waits for a lock for half a second
-- at most and fails then.
CREATE FUNCTION drop_log_partition(log text, partition text, before timestamptz) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM log_partitions() p
                  WHERE p.log = drop_log_partition.log AND p.name = partition AND p.upper <= before AND p.upper <= now()) THEN
    RAISE EXCEPTION '% has no partition % whose rows are all from before %', log, partition, before USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF NOT pg_try_advisory_xact_lock(7410262) THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE %I', partition);
  RETURN true;
END $$;

-- Drops the partitions of events and requests that are empty, and end a week ago or earlier: both are deleted by age. Returns their names.
CREATE FUNCTION drop_empty_event_partitions() RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
DECLARE
  before CONSTANT timestamptz := now() - interval '7 days';
  divided text;
  partition text;
  used boolean;
  dropped text[] := '{}';
BEGIN
  FOR divided, partition IN
    SELECT p.log, p.name FROM log_partitions() p WHERE p.log IN ('event', 'client_request') AND p.upper <= before ORDER BY p.upper, p.log
  LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', partition) INTO used;
    CONTINUE WHEN used;
    -- Whoever writes there has it in use until the end of the transaction; then it is looked at again.
    EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', divided);
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', partition);
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', partition) INTO used;
    CONTINUE WHEN used;
    EXIT WHEN NOT drop_log_partition(divided, partition, before);
    dropped := dropped || partition;
  END LOOP;
  RETURN dropped;
END $$;

-- Rows of the logs whose month has no partition.
CREATE FUNCTION log_rows_without_partition() RETURNS TABLE (log text, strays bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  FOR log IN SELECT DISTINCT p.log FROM log_partitions() p ORDER BY 1 LOOP
    EXECUTE format('SELECT count(*) FROM %I', log || '_default') INTO strays;
    RETURN NEXT;
  END LOOP;
END $$;

-- A row for a chart that is being merged waits at its foreign key until the merge is done. It would stay behind then: the transaction runs again
-- instead, finds the chart merged, and goes on with the other. Its name comes after those of the keys, which are checked first.
CREATE FUNCTION refuse_merged_chart() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM patient p WHERE p.organization_id = NEW.organization_id AND p.id = NEW.patient_id AND p.merged_into_id IS NOT NULL) THEN
    RAISE EXCEPTION 'chart % was merged into another', NEW.patient_id USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN NULL;
END $$;

-- The tables whose rows a merge moves (patient-rights/merging/merged-tables.ts), but for visits, whose writers hold the chart.
DO $$
DECLARE
  moving text;
BEGIN
  FOREACH moving IN ARRAY ARRAY[
    'chart_image', 'check_in', 'check_in_review', 'device_assignment', 'external_message', 'guardianship', 'inbox_item', 'incoming_call',
    'insurance', 'legal_hold', 'mail_message', 'monitoring_alert', 'patient_custom_field', 'patient_registration', 'portal_account',
    'privacy_item', 'privacy_restriction', 'program_patient', 'reading', 'recall', 'scheduled_check_in_recipient', 'session_image',
    'session_invite', 'session_participant', 'session_video', 'sms_message', 'telehealth_visit', 'tracked_condition', 'visit_message',
    'voice_pager_message', 'waiting_room_visit'
  ] LOOP
    EXECUTE format('CREATE TRIGGER refuse_merged_chart AFTER INSERT ON %I FOR EACH ROW WHEN (NEW.patient_id IS NOT NULL) EXECUTE FUNCTION refuse_merged_chart()', moving);
  END LOOP;
END $$;

-- ==== Practices: functions and triggers

-- With the role or the account of a user, the openings of charts end too, whoever changes it.
CREATE FUNCTION close_charts_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chart_opening SET closed_at = now()
   WHERE organization_id = NEW.organization_id AND user_id = NEW.id AND closed_at IS NULL AND ends_at > now();
  RETURN NULL;
END $$;
CREATE TRIGGER user_charts_closed AFTER UPDATE OF type, active ON "user" FOR EACH ROW
  WHEN (OLD.type IS DISTINCT FROM NEW.type OR (OLD.active AND NOT NEW.active)) EXECUTE FUNCTION close_charts_of_user();

-- ==== Patients: functions and triggers

-- The name keys: of charts that are neither deleted nor restricted.
CREATE FUNCTION patient_name_keys_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO patient_name_key (organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length)
  SELECT p.organization_id, p.id, k.ordinal, k.last_key, without_separators(coalesce(p.first_name_folded, '')), p.primary_office_id, k.shared_length
    FROM added p CROSS JOIN LATERAL name_keys(coalesce(p.last_name_folded, '')) k
   WHERE p.status <> 'deleted' AND NOT p.restricted;
  RETURN NULL;
END $$;
CREATE TRIGGER patient_name_keys_added AFTER INSERT ON patient
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION patient_name_keys_added();

-- One row at a time: a name has one key, or as many as it has words.
CREATE FUNCTION renew_patient_name_keys(organization int, patient int) RETURNS void LANGUAGE plpgsql AS $$
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

CREATE FUNCTION patient_name_keys_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM renew_patient_name_keys(NEW.organization_id, NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER patient_name_keys_changed AFTER UPDATE OF first_name, last_name, status, primary_office_id, enterprise_id, restricted ON patient
  FOR EACH ROW WHEN (OLD.first_name_folded IS DISTINCT FROM NEW.first_name_folded OR OLD.last_name_folded IS DISTINCT FROM NEW.last_name_folded
    OR OLD.primary_office_id IS DISTINCT FROM NEW.primary_office_id OR OLD.restricted <> NEW.restricted
    OR (OLD.status = 'deleted') <> (NEW.status = 'deleted'))
  EXECUTE FUNCTION patient_name_keys_changed();

-- The condition is the text of patient_is_restricted: a statement over the rows of a node may call no function that reads others.
CREATE FUNCTION patient_restriction_changed() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER patient_restriction_changed AFTER INSERT OR UPDATE OR DELETE ON privacy_restriction
  FOR EACH ROW EXECUTE FUNCTION patient_restriction_changed();

CREATE FUNCTION patient_is_restricted(organization int, patient int, enterprise int) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT 1 FROM privacy_restriction r
     WHERE r.organization_id = organization AND r.patient_id IN (patient, enterprise) AND r.lifted_at IS NULL AND r.kind IN ('record', 'blocked'));
END $$;

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

-- A chart that gets a number takes over what the number said. It waits for a STOP of that number whose transaction still runs.
CREATE FUNCTION patient_takes_consent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.mobile_phone IS NULL THEN
    NEW.texts_stopped := false;
  ELSE
    PERFORM pg_advisory_xact_lock_shared(consent_lock(NEW.mobile_phone));
    NEW.texts_stopped := number_stopped_texts(NEW.organization_id, NEW.mobile_phone);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER patient_takes_consent BEFORE INSERT ON patient
  FOR EACH ROW WHEN (NEW.mobile_phone IS NOT NULL) EXECUTE FUNCTION patient_takes_consent();
CREATE TRIGGER patient_takes_consent_anew BEFORE UPDATE OF mobile_phone ON patient
  FOR EACH ROW WHEN (OLD.mobile_phone IS DISTINCT FROM NEW.mobile_phone) EXECUTE FUNCTION patient_takes_consent();

-- The keys of one added chart, where rows are added one by one.
CREATE FUNCTION patient_name_key_added() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- ==== Scheduling: functions and triggers

CREATE FUNCTION appointment_type_is_global() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM appointment_type WHERE organization_id = NEW.type_organization_id AND id = NEW.type_id AND is_global FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'this appointment type belongs to another organization' USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER appointment_type_is_global BEFORE INSERT OR UPDATE OF organization_id, type_id, type_organization_id ON appointment
  FOR EACH ROW WHEN (NEW.type_organization_id <> NEW.organization_id) EXECUTE FUNCTION appointment_type_is_global();

CREATE FUNCTION appointment_type_is_unused_elsewhere() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM appointment WHERE type_organization_id = OLD.organization_id AND type_id = OLD.id AND own_type_id IS NULL) THEN
    RAISE EXCEPTION 'this appointment type is in use in another organization' USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER appointment_type_is_unused_elsewhere AFTER UPDATE OF organization_id, id OR DELETE ON appointment_type
  FOR EACH ROW EXECUTE FUNCTION appointment_type_is_unused_elsewhere();

-- Double booking: each user of an appointment has a copy of its times, and where the practice refuses double booking, two
-- ranges of one user may not overlap. Visits of one group are at one time: their seats exclude each other, and not their times.
CREATE FUNCTION user_appointment_times() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT a.starts_at, a.ends_at, o.double_booking = 'refuse' AND a.status NOT IN ('cancelled', 'no_show') AND NOT EXISTS (
           SELECT FROM slot_claim c JOIN slot s ON s.organization_id = NEW.organization_id AND s.id = c.slot_id
            WHERE c.organization_id = NEW.organization_id AND c.appointment_id = NEW.appointment_id AND s.capacity > 1)
    INTO NEW.starts_at, NEW.ends_at, NEW.exclusive
    FROM appointment a JOIN organization o ON o.id = a.organization_id
   WHERE a.organization_id = NEW.organization_id AND a.id = NEW.appointment_id;
  RETURN NEW;
END $$;
CREATE TRIGGER user_appointment_times BEFORE INSERT OR UPDATE ON user_appointment
  FOR EACH ROW EXECUTE FUNCTION user_appointment_times();

CREATE FUNCTION appointment_times_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE user_appointment SET appointment_id = NEW.id WHERE organization_id = NEW.organization_id AND appointment_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER appointment_times_changed AFTER UPDATE OF starts_at, ends_at, status ON appointment
  FOR EACH ROW WHEN (OLD.starts_at IS DISTINCT FROM NEW.starts_at OR OLD.ends_at IS DISTINCT FROM NEW.ends_at OR OLD.status <> NEW.status)
  EXECUTE FUNCTION appointment_times_changed();

-- Each table is asked for the rows of the appointment's practice by its number, so that a node knows that it has them.
CREATE FUNCTION appointment_links_follow() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER appointment_links_follow AFTER UPDATE OF starts_at, ends_at, status ON appointment
  FOR EACH ROW WHEN (OLD.starts_at IS DISTINCT FROM NEW.starts_at OR OLD.ends_at IS DISTINCT FROM NEW.ends_at
                     OR (OLD.status <> NEW.status AND 'cancelled' IN (OLD.status, NEW.status)))
  EXECUTE FUNCTION appointment_links_follow();

-- A visit that no longer takes up its slot frees it. A slot whose id became an appointment's goes with it: the next one has another id.
CREATE FUNCTION appointment_frees_slot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM slot_claim c
   WHERE c.organization_id = NEW.organization_id AND c.appointment_id = NEW.id
     AND (NEW.status IN ('cancelled', 'no_show') OR NOT EXISTS (
       SELECT FROM slot s WHERE s.organization_id = NEW.organization_id AND s.id = c.slot_id
          AND s.starts_at = NEW.starts_at AND s.provider_id = NEW.provider_id));
  DELETE FROM slot s
   WHERE s.organization_id = NEW.organization_id AND s.id = NEW.id
     AND NOT EXISTS (SELECT FROM slot_claim c WHERE c.organization_id = NEW.organization_id AND c.slot_id = s.id);
  RETURN NULL;
END $$;
CREATE TRIGGER appointment_frees_slot AFTER UPDATE OF starts_at, status, provider_id ON appointment
  FOR EACH ROW WHEN (OLD.starts_at IS DISTINCT FROM NEW.starts_at OR OLD.status <> NEW.status OR OLD.provider_id IS DISTINCT FROM NEW.provider_id)
  EXECUTE FUNCTION appointment_frees_slot();

-- ==== Booking: functions and triggers

-- A visit to come that leaves its time, while patients of the practice wait for one.
CREATE FUNCTION appointment_frees_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO freed_time (organization_id, provider_id, patient_id, starts_at, ends_at)
  SELECT OLD.organization_id, OLD.provider_id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.patient_id END, OLD.starts_at, OLD.ends_at
   WHERE EXISTS (SELECT FROM waitlist_entry w WHERE w.organization_id = OLD.organization_id AND w.status = 'waiting')
     AND EXISTS (SELECT FROM provider v WHERE v.organization_id = OLD.organization_id AND v.id = OLD.provider_id);
  RETURN NULL;
END $$;
CREATE TRIGGER appointment_frees_time AFTER UPDATE OF starts_at, ends_at, status, provider_id ON appointment
  FOR EACH ROW WHEN (OLD.status NOT IN ('cancelled', 'no_show') AND OLD.provider_id IS NOT NULL AND OLD.starts_at > now()
    AND (NEW.status IN ('cancelled', 'no_show') OR NEW.starts_at IS DISTINCT FROM OLD.starts_at OR NEW.ends_at IS DISTINCT FROM OLD.ends_at
      OR NEW.provider_id IS DISTINCT FROM OLD.provider_id))
  EXECUTE FUNCTION appointment_frees_time();
CREATE TRIGGER appointment_frees_time_when_deleted AFTER DELETE ON appointment
  FOR EACH ROW WHEN (OLD.status NOT IN ('cancelled', 'no_show') AND OLD.provider_id IS NOT NULL AND OLD.starts_at > now())
  EXECUTE FUNCTION appointment_frees_time();

-- ==== Messaging: functions and triggers

-- Whether the newest entry of the ledger of consent is a STOP. Values: organization, number.
CREATE FUNCTION number_stopped_texts(int, text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((SELECT o.opted_out FROM opt_out o WHERE o.organization_id = $1 AND o.number = $2
                    ORDER BY o.recorded_at DESC, o.id DESC LIMIT 1), false);
END $$;

-- STOP and START are of the number: every chart that has it shows them.
CREATE FUNCTION consent_reaches_charts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  stopped boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(consent_lock(NEW.number));
  stopped := number_stopped_texts(NEW.organization_id, NEW.number);
  UPDATE patient p SET texts_stopped = stopped, updated_at = now()
   WHERE p.organization_id = NEW.organization_id AND p.mobile_phone = NEW.number AND p.texts_stopped <> stopped;
  RETURN NULL;
END $$;
CREATE TRIGGER consent_reaches_charts AFTER INSERT ON opt_out FOR EACH ROW EXECUTE FUNCTION consent_reaches_charts();

-- Where all tables are on one machine the directory follows the numbers, whoever writes them.
CREATE FUNCTION phone_number_held() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM held_number WHERE number = OLD.number AND organization_id = OLD.organization_id AND phone_number_id = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO held_number (number, organization_id, phone_number_id) SELECT NEW.number, NEW.organization_id, NEW.id WHERE NEW.released_at IS NULL;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER phone_number_held_added AFTER INSERT OR DELETE ON phone_number FOR EACH ROW EXECUTE FUNCTION phone_number_held();
CREATE TRIGGER phone_number_held_changed AFTER UPDATE ON phone_number FOR EACH ROW
  WHEN (OLD.number <> NEW.number OR (OLD.released_at IS NULL) <> (NEW.released_at IS NULL)) EXECUTE FUNCTION phone_number_held();

-- ==== Monitoring: functions and triggers

CREATE FUNCTION check_in_review_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  review check_in_review := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  -- Two concurrent reviews are serialized: the second sees the result of the first after its wait.
  PERFORM 1 FROM check_in WHERE organization_id = review.organization_id AND id = review.check_in_id FOR NO KEY UPDATE;
  UPDATE check_in c SET reviewed = s.reviewed
    FROM (SELECT EXISTS (SELECT FROM check_in_review r WHERE r.organization_id = review.organization_id
                            AND r.check_in_id = review.check_in_id AND r.deleted_at IS NULL) AS reviewed) s
   WHERE c.organization_id = review.organization_id AND c.id = review.check_in_id AND c.reviewed <> s.reviewed;
  RETURN NULL;
END $$;
CREATE TRIGGER check_in_review_changed AFTER INSERT OR UPDATE OF deleted_at OR DELETE ON check_in_review
  FOR EACH ROW EXECUTE FUNCTION check_in_review_changed();

-- The hash of a closed month: over a line of all that is stored of its closing, and a line of patient and hash for each row that it
-- was closed with, by patient.
CREATE FUNCTION closed_month_hash(closed closed_month) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(convert_to(
    concat_ws(' ', closed.organization_id, closed.month, closed.time_zone, closed.readings, closed.supply_period, closed.row_count,
              closed.held_count, closed.closed_by_id, to_char(closed.closed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || E'\n' ||
    coalesce(string_agg(patient_id || ' ' || encode(hash, 'hex') || E'\n', '' ORDER BY patient_id), ''), 'UTF8'))
    FROM closed_ledger_row WHERE organization_id = closed.organization_id AND month = closed.month AND version = 1
$$;

-- A closed month is stored with its hash.
CREATE FUNCTION set_closed_month_hash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.hash := closed_month_hash(NEW.organization_id, NEW.month, NEW.time_zone, NEW.readings, NEW.supply_period, NEW.row_count,
                                NEW.held_count, NEW.closed_by_id, NEW.closed_at);
  RETURN NEW;
END $$;
CREATE TRIGGER closed_month_hash BEFORE INSERT ON closed_month FOR EACH ROW EXECUTE FUNCTION set_closed_month_hash();

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

CREATE TRIGGER closed_ledger_row_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON closed_ledger_row FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_month_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON closed_month FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- The history of consent is evidence: what was recorded stays, and a revocation is an entry of its own.
CREATE TRIGGER monitoring_consent_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON monitoring_consent
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- Releases, closed months and their rows are append-only. The rows of a month are stored before it, since its hash is over theirs.
CREATE TRIGGER review_release_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON review_release FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- ==== Audit: functions and triggers

CREATE VIEW audit_record WITH (security_invoker = true) AS
  SELECT e.organization_id, e.id, e.transaction_id, e.at, e.actor, e.action, e.resource,
         CASE WHEN e.record_id IS NULL THEN e.resource_ids ELSE coalesce(e.resource_ids, '{}') || e.record_id END AS resource_ids,
         e.patient_ids,
         e.operation || CASE WHEN e.operation_id IS NULL THEN '' ELSE coalesce(o.name, '?' || e.operation_id) END AS operation,
         CASE WHEN e.request_uuid IS NULL THEN e.request_id ELSE concat(e.request_id, e.request_uuid) END AS request_id,
         e.address, e.detail
    FROM audit_entry e LEFT JOIN audit_operation o ON o.id = e.operation_id;

-- Deletes the oldest events of a practice that happened before an instant, in the order of the log and up to the first that is kept,
-- and notes where the log begins now. The role of the server may delete no other.
CREATE FUNCTION delete_oldest_events(practice int, last_sealed bigint, before timestamptz, most int) RETURNS bigint
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

-- The name of an operation that is new is given a number where all tables are on one machine. On a node of several it stays a name,
-- which readers and seals take as well.
CREATE FUNCTION pack_audit_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
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
CREATE TRIGGER audit_entry_packed BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION pack_audit_entry();

-- A checkpoint stays as it was written. A new master key may make its MAC anew, as the note does that its file was discarded.
CREATE FUNCTION refuse_checkpoint_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND (OLD.discarded_at IS NULL OR NEW.discarded_at = OLD.discarded_at)
     AND to_jsonb(NEW) - '{discarded_by,discarded_at,key_id,mac}'::text[] = to_jsonb(OLD) - '{discarded_by,discarded_at,key_id,mac}'::text[] THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;
CREATE TRIGGER audit_checkpoint_kept BEFORE UPDATE OR DELETE ON audit_checkpoint FOR EACH ROW EXECUTE FUNCTION refuse_checkpoint_change();

CREATE FUNCTION refuse_unarchived_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM audit_checkpoint c WHERE c.organization_id = OLD.organization_id AND c.position > OLD.position) THEN
    RAISE EXCEPTION 'link % of organization % is not in the archive', OLD.position, OLD.organization_id
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER audit_link_kept BEFORE DELETE ON audit_link FOR EACH ROW EXECUTE FUNCTION refuse_unarchived_link();

-- Drops the partitions of the audit whose rows are all from before an instant and up to the newest checkpoint of their practice. Refuses
-- where one is not, and drops nothing while a backup is under way. Waits for a lock for half a second at most and fails then. Returns
-- the names of those that it dropped. It goes practice after practice, since no recursion goes over several nodes.
CREATE FUNCTION drop_archived_audit(before timestamptz) RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
DECLARE
  partition text;
  practice int;
  last_transaction bigint;
  last_id bigint;
  dropped text[] := '{}';
BEGIN
  FOR partition IN SELECT p.name FROM log_partitions() p WHERE p.log = 'audit_entry' AND p.upper <= before AND p.upper <= now() ORDER BY p.upper LOOP
    -- Nobody writes there until it is gone: a late row would not be seen.
    EXECUTE format('LOCK TABLE %I IN SHARE MODE', partition);
    EXECUTE format('SELECT min(organization_id) FROM %I', partition) INTO practice;
    WHILE practice IS NOT NULL LOOP
      EXECUTE format('SELECT transaction_id, id FROM %I WHERE organization_id = $1 ORDER BY transaction_id DESC, id DESC LIMIT 1', partition)
         INTO last_transaction, last_id USING practice;
      IF NOT EXISTS (SELECT 1 FROM audit_checkpoint c
                      WHERE c.organization_id = practice AND (c.transaction_id, c.audit_entry_id) >= (last_transaction, last_id)) THEN
        RAISE EXCEPTION 'entry % of organization % is not in the archive', last_id, practice USING ERRCODE = 'object_not_in_prerequisite_state';
      END IF;
      EXECUTE format('SELECT min(organization_id) FROM %I WHERE organization_id > $1', partition) INTO practice USING practice;
    END LOOP;
    EXIT WHEN NOT drop_log_partition('audit_entry', partition, before);
    dropped := dropped || partition;
  END LOOP;
  RETURN dropped;
END $$;

-- Entries go when a checkpoint covers them, as links do.
CREATE FUNCTION refuse_unarchived_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM audit_checkpoint c
                  WHERE c.organization_id = OLD.organization_id AND (c.transaction_id, c.audit_entry_id) >= (OLD.transaction_id, OLD.id)) THEN
    RAISE EXCEPTION 'audit_entry is append-only: entry % of organization % is not in the archive', OLD.id, OLD.organization_id
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER audit_entry_kept BEFORE DELETE ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_unarchived_entry();

-- Deletes what the newest checkpoint of a practice covers: links before its own, and entries of months that were not dropped. The role
-- of the server may delete no others. Returns the number of links.
CREATE FUNCTION delete_archived_audit(practice int, most int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  newest record;
  last bigint;
  deleted bigint;
BEGIN
  SELECT c.position, c.transaction_id, c.audit_entry_id INTO newest
    FROM audit_checkpoint c WHERE c.organization_id = practice ORDER BY c.position DESC LIMIT 1;
  SELECT max(l.position) INTO last FROM (
    SELECT position FROM audit_link WHERE organization_id = practice AND position < newest.position ORDER BY position LIMIT most
  ) l;
  DELETE FROM audit_link l WHERE l.organization_id = practice AND l.position <= last;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  DELETE FROM audit_entry e
   WHERE e.organization_id = practice AND (e.transaction_id, e.id) <= (newest.transaction_id, newest.audit_entry_id);
  RETURN deleted;
END $$;

CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_link_append_only BEFORE UPDATE OR TRUNCATE ON audit_link FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_operation_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_operation
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER event_append_only BEFORE UPDATE OR TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER event_kept BEFORE DELETE ON event FOR EACH ROW WHEN (OLD.occurred_at > now() - interval '7 days') EXECUTE FUNCTION refuse_change();

-- ==== Identity: functions and triggers

-- A grant needs its client, which belongs to no practice, so there is no foreign key: a grant locks the client against
-- deletion until the transaction ends, and a client that has grants cannot be deleted.
CREATE FUNCTION api_client_exists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM api_client WHERE id = NEW.client_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no such API client' USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER api_client_exists BEFORE INSERT OR UPDATE OF client_id ON api_client_grant
  FOR EACH ROW EXECUTE FUNCTION api_client_exists();

CREATE FUNCTION api_client_is_unused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM api_client_grant WHERE client_id = OLD.id) THEN
    RAISE EXCEPTION 'this API client has grants' USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER api_client_is_unused AFTER UPDATE OF id OR DELETE ON api_client
  FOR EACH ROW EXECUTE FUNCTION api_client_is_unused();

-- ==== The partitions of the logs: rows of a month that has none go into the default one

CREATE TABLE audit_entry_default PARTITION OF audit_entry DEFAULT;
SELECT guard_log_partition('audit_entry', 'audit_entry_default');
CREATE TABLE event_default PARTITION OF event DEFAULT;
SELECT guard_log_partition('event', 'event_default');
CREATE TABLE client_request_default PARTITION OF client_request DEFAULT;
SELECT guard_log_partition('client_request', 'client_request_default');

-- The role of the server calls those that run with the rights of the owner.
REVOKE EXECUTE ON FUNCTION
  guard_log_partition(text,text),
  attach_log_partition(text,text,timestamptz,timestamptz),
  add_log_partition(text,timestamptz),
  drop_log_partition(text,text,timestamptz)
  FROM PUBLIC;

-- ==== The job queue

-- The tables and functions that pg-boss 12.35 (its schema 43) installs, under our migrations, so that no process changes the
-- schema while others work (src/jobs/queue/queue.ts). An upgrade of pg-boss with a newer schema needs a migration with the output
-- of its getMigrationPlans('queue', 43); until then the server reports the difference when it starts.
CREATE SCHEMA queue;
    CREATE TYPE queue.job_state AS ENUM (
      'created',
      'retry',
      'active',
      'completed',
      'cancelled',
      'failed'
    );
    CREATE FUNCTION queue.job_now()
    RETURNS timestamp with time zone AS
    $$
      SELECT pg_catalog.now();
    $$
    LANGUAGE sql STABLE;
    CREATE TABLE queue.version (
      version int primary key,
      cron_on timestamp with time zone,
      bam_on timestamp with time zone,
      flow_on timestamp with time zone,
      reindex_on timestamp with time zone,
      monitor_backoff_on timestamp with time zone
    );
    CREATE TABLE queue.queue (
      name text NOT NULL,
      policy text NOT NULL,
      retry_limit int NOT NULL,
      retry_delay int NOT NULL,
      retry_backoff bool NOT NULL,
      retry_delay_max int,
      expire_seconds int NOT NULL,
      retention_seconds int NOT NULL,
      deletion_seconds int NOT NULL,
      dead_letter text REFERENCES queue.queue (name) CHECK (dead_letter IS DISTINCT FROM name),
      partition bool NOT NULL,
      table_name text NOT NULL,
      deferred_count int NOT NULL default 0,
      queued_count int NOT NULL default 0,
      ready_count int NOT NULL default 0,
      warning_queued int NOT NULL default 0,
      active_count int NOT NULL default 0,
      failed_count int NOT NULL default 0,
      total_count int NOT NULL default 0,
      created_delta int NOT NULL default 0,
      completed_delta int NOT NULL default 0,
      failed_delta int NOT NULL default 0,
      delta_on timestamp with time zone,
      delta_seconds int,
      ready_history int[] NOT NULL default '{}',
      heartbeat_seconds int,
      notify bool NOT NULL DEFAULT false,
      singletons_active text[],
      monitor_claim_on timestamp with time zone,
      monitor_on timestamp with time zone,
      maintain_on timestamp with time zone,
      created_on timestamp with time zone not null default now(),
      updated_on timestamp with time zone not null default now(),
      PRIMARY KEY (name)
    );
    CREATE TABLE queue.schedule (
      name text REFERENCES queue.queue ON DELETE CASCADE,
      key text not null DEFAULT '',
      kind text not null DEFAULT 'cron' CHECK (kind IN ('cron', 'rrule')),
      cron text not null,
      timezone text DEFAULT 'UTC',
      data jsonb,
      options jsonb,
      created_on timestamp with time zone not null default now(),
      updated_on timestamp with time zone not null default now(),
      last_job_id uuid,
      PRIMARY KEY (name, key)
    );
    CREATE TABLE queue.subscription (
      event text not null,
      name text not null REFERENCES queue.queue ON DELETE CASCADE,
      created_on timestamp with time zone not null default now(),
      updated_on timestamp with time zone not null default now(),
      PRIMARY KEY(event, name)
    );
    CREATE TABLE queue.bam (
      id uuid PRIMARY KEY default gen_random_uuid(),
      name text NOT NULL,
      version int NOT NULL,
      status text NOT NULL DEFAULT 'pending',
      queue text,
      table_name text NOT NULL,
      command text NOT NULL,
      error text,
      created_on timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
      started_on timestamp with time zone,
      completed_on timestamp with time zone
    );
    CREATE FUNCTION queue.job_table_format(command text, table_name text)
    RETURNS text AS
    $$
      SELECT format(
        regexp_replace(
          regexp_replace(command, '\.job\y', '.%1$I', 'g'),
          '\yjob_i(\d+)', '%1$s_i\1', 'g'
        ),
        table_name
      );
    $$
    LANGUAGE sql IMMUTABLE;
    CREATE FUNCTION queue.job_table_run(command text, tbl_name text DEFAULT NULL, queue_name text DEFAULT NULL)
    RETURNS VOID AS
    $$
    DECLARE
      tbl RECORD;
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM queue.queue WHERE name = queue_name;
      END IF;
      IF tbl_name IS NOT NULL THEN
        EXECUTE queue.job_table_format(command, tbl_name);
        RETURN;
      END IF;
      EXECUTE queue.job_table_format(command, 'job_common');
      FOR tbl IN SELECT table_name FROM queue.queue WHERE partition = true
      LOOP
        EXECUTE queue.job_table_format(command, tbl.table_name);
      END LOOP;
    END;
    $$
    LANGUAGE plpgsql;
    CREATE FUNCTION queue.job_table_run_async(command_name text, version int, command text, tbl_name text DEFAULT NULL, queue_name text DEFAULT NULL)
    RETURNS VOID AS
    $$
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM queue.queue WHERE name = queue_name;
      END IF;
      IF tbl_name IS NOT NULL THEN
        INSERT INTO queue.bam (name, version, status, queue, table_name, command)
        VALUES (
          command_name,
          version,
          'pending',
          queue_name,
          tbl_name,
          queue.job_table_format(command, tbl_name)
        );
        RETURN;
      END IF;
      INSERT INTO queue.bam (name, version, status, queue, table_name, command)
      SELECT
        command_name,
        version,
        'pending',
        NULL,
        'job_common',
        queue.job_table_format(command, 'job_common')
      UNION ALL
      SELECT
        command_name,
        version,
        'pending',
        queue.name,
        queue.table_name,
        queue.job_table_format(command, queue.table_name)
      FROM queue.queue
      WHERE partition = true;
    END;
    $$
    LANGUAGE plpgsql;
    CREATE TABLE queue.job (
      id uuid not null default gen_random_uuid(),
      name text not null,
      priority integer not null default(0),
      data jsonb,
      state queue.job_state not null default 'created',
      retry_limit integer not null default 2,
      retry_count integer not null default 0,
      retry_delay integer not null default 0,
      retry_backoff boolean not null default false,
      retry_delay_max integer,
      expire_seconds int not null default 900,
      deletion_seconds int not null default 604800,
      singleton_key text,
      singleton_on timestamp without time zone,
      group_id text,
      group_tier text,
      start_after timestamp with time zone not null default now(),
      created_on timestamp with time zone not null default now(),
      started_on timestamp with time zone,
      completed_on timestamp with time zone,
      keep_until timestamp with time zone NOT NULL default now() + interval '1209600',
      output jsonb,
      dead_letter text,
      policy text,
      heartbeat_on timestamp with time zone,
      heartbeat_seconds int,
      blocked boolean not null default false,
      blocking boolean not null default false,
      pending_dependencies int not null default 0,
      source_name text,
      source_id uuid,
      source_created_on timestamp with time zone,
      source_retry_count int,
      source_output jsonb,
      source_root_id uuid
    ) PARTITION BY LIST (name);
ALTER TABLE queue.job ADD PRIMARY KEY (name, id);
    CREATE TABLE queue.job_common (LIKE queue.job INCLUDING GENERATED INCLUDING DEFAULTS);
    SELECT queue.job_table_run($cmd$ALTER TABLE queue.job ADD PRIMARY KEY (name, id)$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$ALTER TABLE queue.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES queue.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$ALTER TABLE queue.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES queue.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE UNIQUE INDEX job_i1 ON queue.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE UNIQUE INDEX job_i2 ON queue.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE UNIQUE INDEX job_i3 ON queue.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE UNIQUE INDEX job_i6 ON queue.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE UNIQUE INDEX job_i8 ON queue.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE INDEX job_i10 ON queue.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$ALTER TABLE queue.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE UNIQUE INDEX job_i4 ON queue.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE INDEX job_i11 ON queue.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE INDEX job_i7 ON queue.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE INDEX job_i9 ON queue.job (name, id) WHERE blocking AND state = 'completed'$cmd$, 'job_common');
    SELECT queue.job_table_run($cmd$CREATE INDEX job_i12 ON queue.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, 'job_common');
    ALTER TABLE queue.job ATTACH PARTITION queue.job_common DEFAULT;
    CREATE TABLE queue.warning (
      id uuid PRIMARY KEY default gen_random_uuid(),
      type text NOT NULL,
      message text NOT NULL,
      data jsonb,
      created_on timestamp with time zone NOT NULL DEFAULT now()
    );
CREATE INDEX warning_i1 ON queue.warning (created_on DESC);
    CREATE TABLE queue.queue_stats (
      id uuid NOT NULL DEFAULT gen_random_uuid(),
      name text NOT NULL,
      deferred_count int NOT NULL DEFAULT 0,
      queued_count   int NOT NULL DEFAULT 0,
      ready_count    int NOT NULL DEFAULT 0,
      active_count   int NOT NULL DEFAULT 0,
      failed_count   int NOT NULL DEFAULT 0,
      total_count    int NOT NULL DEFAULT 0,
      created_delta   int,
      completed_delta int,
      failed_delta    int,
      delta_seconds   int,
      delta_on        timestamptz,
      captured_on timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (id, captured_on)
    ) PARTITION BY RANGE (captured_on);
CREATE INDEX queue_stats_i1 ON queue.queue_stats (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);
    DO $$
    DECLARE
      d date;
      i int;
      part_name text;
    BEGIN
      FOR i IN 0..1 LOOP
        d := (queue.job_now() AT TIME ZONE 'UTC')::date + i;
        part_name := 'queue_stats_' || to_char(d, 'YYYYMMDD');
        IF NOT EXISTS (
          SELECT 1 FROM pg_class c
          JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'queue' AND c.relname = part_name
        ) THEN
          EXECUTE format(
            'CREATE TABLE queue.%I PARTITION OF queue.queue_stats FOR VALUES FROM (%L) TO (%L)',
            part_name,
            to_char(d, 'YYYY-MM-DD') || ' 00:00:00+00',
            to_char(d + 1, 'YYYY-MM-DD') || ' 00:00:00+00'
          );
        END IF;
      END LOOP;
    END;
    $$;
    CREATE TABLE queue.job_dependency (
      child_name text NOT NULL,
      child_id uuid NOT NULL,
      parent_name text NOT NULL,
      parent_id uuid NOT NULL,
      PRIMARY KEY (child_name, child_id, parent_name, parent_id)
    );
CREATE INDEX IF NOT EXISTS job_dep_parent_idx ON queue.job_dependency (parent_name, parent_id);
    CREATE FUNCTION queue.create_queue(queue_name text, options jsonb)
    RETURNS VOID AS
    $$
    DECLARE
      tablename varchar := CASE WHEN options->>'partition' = 'true'
                            THEN 'j' || encode(sha224(queue_name::bytea), 'hex')
                            ELSE 'job_common'
                            END;
      queue_created_on timestamptz;
    BEGIN
      WITH q as (
        INSERT INTO queue.queue (
          name,
          policy,
          retry_limit,
          retry_delay,
          retry_backoff,
          retry_delay_max,
          expire_seconds,
          retention_seconds,
          deletion_seconds,
          warning_queued,
          dead_letter,
          partition,
          table_name,
          heartbeat_seconds,
          notify,
          created_on,
          updated_on
        )
        VALUES (
          queue_name,
          options->>'policy',
          COALESCE((options->>'retryLimit')::int, 2),
          COALESCE((options->>'retryDelay')::int, 0),
          COALESCE((options->>'retryBackoff')::bool, false),
          (options->>'retryDelayMax')::int,
          COALESCE((options->>'expireInSeconds')::int, 900),
          COALESCE((options->>'retentionSeconds')::int, 1209600),
          COALESCE((options->>'deleteAfterSeconds')::int, 604800),
          COALESCE((options->>'warningQueueSize')::int, 0),
          options->>'deadLetter',
          COALESCE((options->>'partition')::bool, false),
          tablename,
          (options->>'heartbeatSeconds')::int,
          COALESCE((options->>'notify')::bool, false),
          queue.job_now(),
          queue.job_now()
        )
        ON CONFLICT DO NOTHING
        RETURNING created_on
      )
      SELECT created_on into queue_created_on from q;
      IF queue_created_on IS NULL OR options->>'partition' IS DISTINCT FROM 'true' THEN
        RETURN;
      END IF;
      EXECUTE format('CREATE TABLE queue.%I (LIKE queue.job INCLUDING DEFAULTS)', tablename);
      EXECUTE queue.job_table_format($cmd$ALTER TABLE queue.job ADD PRIMARY KEY (name, id)$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$ALTER TABLE queue.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES queue.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$ALTER TABLE queue.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES queue.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$CREATE INDEX job_i11 ON queue.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$CREATE UNIQUE INDEX job_i4 ON queue.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$CREATE INDEX job_i7 ON queue.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$CREATE INDEX job_i9 ON queue.job (name, id) WHERE blocking AND state = 'completed'$cmd$, tablename);
      EXECUTE queue.job_table_format($cmd$CREATE INDEX job_i12 ON queue.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, tablename);
      IF options->>'policy' = 'short' THEN
        EXECUTE queue.job_table_format($cmd$CREATE UNIQUE INDEX job_i1 ON queue.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, tablename);
      ELSIF options->>'policy' = 'singleton' THEN
        EXECUTE queue.job_table_format($cmd$CREATE UNIQUE INDEX job_i2 ON queue.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, tablename);
      ELSIF options->>'policy' = 'stately' THEN
        EXECUTE queue.job_table_format($cmd$CREATE UNIQUE INDEX job_i3 ON queue.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, tablename);
      ELSIF options->>'policy' = 'exclusive' THEN
        EXECUTE queue.job_table_format($cmd$CREATE UNIQUE INDEX job_i6 ON queue.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, tablename);
      ELSIF options->>'policy' = 'key_strict_fifo' THEN
        EXECUTE queue.job_table_format($cmd$CREATE UNIQUE INDEX job_i8 ON queue.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE queue.job_table_format($cmd$CREATE INDEX job_i10 ON queue.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE queue.job_table_format($cmd$ALTER TABLE queue.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, tablename);
      END IF;
      EXECUTE format('ALTER TABLE queue.%I ADD CONSTRAINT cjc CHECK (name=%L)', tablename, queue_name);
      EXECUTE format('ALTER TABLE queue.job ATTACH PARTITION queue.%I FOR VALUES IN (%L)', tablename, queue_name);
    END;
    $$
    LANGUAGE plpgsql;
    CREATE FUNCTION queue.delete_queue(queue_name text)
    RETURNS VOID AS
    $$
    DECLARE
      v_table varchar;
      v_partition bool;
    BEGIN
      SELECT table_name, partition
      FROM queue.queue
      WHERE name = queue_name
      INTO v_table, v_partition;
      IF v_partition THEN
        EXECUTE format('DROP TABLE IF EXISTS queue.%I', v_table);
      ELSE
        EXECUTE format('DELETE FROM queue.%I WHERE name = %L', v_table, queue_name);
      END IF;
      DELETE FROM queue.queue WHERE name = queue_name;
    END;
    $$
    LANGUAGE plpgsql;
INSERT INTO queue.version(version) VALUES ('43');
SELECT queue.create_queue('unsent', '{"policy": "standard"}');
SELECT queue.create_queue('send-text', '{"policy": "standard"}');
SELECT queue.create_queue('send-mail', '{"policy": "standard"}');
SELECT queue.create_queue('send-push', '{"policy": "standard"}');
