-- The whole schema of the first release.
--
--  1. Functions that the tables' defaults and generated columns call.
--  2. Types, tables, indexes and foreign keys, as `npm run db:migration` writes them from prisma/schema. Edited by hand are
--     only generated columns and their collation, UNLOGGED tables, a fill factor and two indexes with INCLUDE.
--  3. By hand, area by area: everything that Prisma's language cannot express.
--  4. The job queue's own schema.

-- ═══ 1. Functions ═══

CREATE EXTENSION IF NOT EXISTS unaccent;
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- The form that searches compare: lower case, without accents. unaccent() alone counts as changeable, because its
-- dictionary could be replaced; naming the dictionary makes it immutable in fact, and this function declares so.
CREATE FUNCTION fold(value text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN lower(unaccent('unaccent'::regdictionary, value));

-- The order of the logs. Transaction ids start low again when a database is restored into a new cluster; the offset is
-- raised then (src/database/migrations.ts), so that later entries still follow all earlier ones.
CREATE TABLE "log_epoch" (
    "id" BOOLEAN NOT NULL DEFAULT true,
    "transaction_offset" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "log_epoch_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "log_epoch_one_row" CHECK ("id")
);
INSERT INTO log_epoch DEFAULT VALUES;

-- The running transaction's position in the order of the logs.
CREATE FUNCTION log_transaction() RETURNS bigint LANGUAGE sql VOLATILE
  RETURN (pg_current_xact_id()::text)::bigint + (SELECT transaction_offset FROM log_epoch);

-- All transactions below this position have ended, so nothing can be added there. Readers of the logs stay below it.
CREATE FUNCTION log_horizon() RETURNS bigint LANGUAGE sql STABLE
  RETURN (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint + (SELECT transaction_offset FROM log_epoch);

-- ═══ 2. Types, tables, indexes and foreign keys ═══

-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "registration_policy" AS ENUM ('open', 'strict');

-- CreateEnum
CREATE TYPE "double_booking_policy" AS ENUM ('allow', 'refuse');

-- CreateEnum
CREATE TYPE "clinicals_mode" AS ENUM ('ON', 'OFF', 'DOCUMENTSONLY', 'ADMINONLY');

-- CreateEnum
CREATE TYPE "user_type" AS ENUM ('admin', 'provider', 'staff', 'interface');

-- CreateEnum
CREATE TYPE "patient_status" AS ENUM ('active', 'inactive', 'prospective', 'deleted');

-- CreateEnum
CREATE TYPE "portal_holder" AS ENUM ('PATIENT', 'FAMILY');

-- CreateEnum
CREATE TYPE "restriction_kind" AS ENUM ('record', 'blocked', 'portal');

-- CreateEnum
CREATE TYPE "appointment_status" AS ENUM ('scheduled', 'arrived', 'completed', 'no_show', 'cancelled');

-- CreateEnum
CREATE TYPE "confirmation_answer" AS ENUM ('Pending', 'Yes', 'No');

-- CreateEnum
CREATE TYPE "phone_number_kind" AS ENUM ('plain', 'fax', 'voice_pager');

-- CreateEnum
CREATE TYPE "phone_number_state" AS ENUM ('ordered', 'active', 'failed', 'releasing', 'released');

-- CreateEnum
CREATE TYPE "message_state" AS ENUM ('queued', 'sent', 'delivered', 'failed', 'suppressed', 'received');

-- CreateEnum
CREATE TYPE "message_direction" AS ENUM ('outbound', 'inbound');

-- CreateTable
CREATE TABLE "organization" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "phone" TEXT,
    "email" TEXT,
    "website" TEXT,
    "address1" TEXT,
    "address2" TEXT,
    "city" TEXT,
    "state" TEXT,
    "zip" TEXT,
    "go_live_date" DATE,
    "experience_mode" TEXT,
    "is_coordinator_sender" BOOLEAN NOT NULL DEFAULT false,
    "is_coordinator_receiver" BOOLEAN NOT NULL DEFAULT false,
    "has_clinicals" BOOLEAN NOT NULL DEFAULT true,
    "has_communicator" BOOLEAN NOT NULL DEFAULT false,
    "has_collector" BOOLEAN NOT NULL DEFAULT false,
    "is_enterprise" BOOLEAN NOT NULL DEFAULT false,
    "has_medication_history" BOOLEAN NOT NULL DEFAULT false,
    "registration_policy" "registration_policy" NOT NULL DEFAULT 'open',
    "match_on_registration" BOOLEAN NOT NULL DEFAULT false,
    "double_booking" "double_booking_policy" NOT NULL DEFAULT 'allow',
    "quiet_hours_start" TEXT NOT NULL DEFAULT '21:00',
    "quiet_hours_end" TEXT NOT NULL DEFAULT '08:00',
    "default_appointment_length" INTEGER NOT NULL DEFAULT 30,
    "language_id" TEXT NOT NULL DEFAULT 'en',
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organization_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider_group" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_group_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "office" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "provider_group_id" INTEGER,
    "name" TEXT NOT NULL,
    "patient_department_name" TEXT,
    "time_zone" TEXT NOT NULL,
    "address1" TEXT,
    "address2" TEXT,
    "city" TEXT,
    "state" TEXT,
    "zip" TEXT,
    "latitude" DECIMAL(9,6),
    "longitude" DECIMAL(9,6),
    "phone" TEXT,
    "fax" TEXT,
    "portal_url" TEXT,
    "clinicals" "clinicals_mode" NOT NULL DEFAULT 'ON',
    "chart_sharing_group_id" INTEGER,
    "communicator_brand_id" INTEGER,
    "place_of_service_type_id" TEXT,
    "place_of_service_type_name" TEXT,
    "place_of_service_facility" BOOLEAN NOT NULL DEFAULT false,
    "single_appointment_contract_max" DECIMAL(12,2),
    "one_year_contract_max" DECIMAL(12,2),
    "credit_card_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "ecommerce_credit_card_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "medication_history_consent" BOOLEAN NOT NULL DEFAULT false,
    "is_hospital_department" BOOLEAN NOT NULL DEFAULT false,
    "is_service_department" BOOLEAN NOT NULL DEFAULT true,
    "hidden_in_portal" BOOLEAN NOT NULL DEFAULT false,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "office_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "location" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "office_id" INTEGER,
    "name" TEXT NOT NULL,
    "phone" TEXT,
    "address1" TEXT,
    "address2" TEXT,
    "city" TEXT,
    "state" TEXT,
    "zip" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "location_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "waiting_room" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "office_id" INTEGER,
    "user_id" INTEGER,
    "name" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "waiting_room_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "user" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "type" "user_type" NOT NULL,
    "first_name" TEXT NOT NULL,
    "last_name" TEXT NOT NULL,
    "email" TEXT,
    "phone" TEXT,
    "language_id" TEXT NOT NULL DEFAULT 'en',
    "active" BOOLEAN NOT NULL DEFAULT true,
    "verified" BOOLEAN NOT NULL DEFAULT true,
    "chat_status" TEXT NOT NULL DEFAULT 'offline',
    "telehealth_availability" BOOLEAN NOT NULL DEFAULT true,
    "receive_push_notices" BOOLEAN NOT NULL DEFAULT true,
    "terms_accepted" BOOLEAN NOT NULL DEFAULT false,
    "five_minute_check_in" BOOLEAN NOT NULL DEFAULT false,
    "five_minute_check_in_type" TEXT,
    "last_seen_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "provider" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER,
    "supervising_provider_id" INTEGER,
    "home_office_id" INTEGER,
    "npi" TEXT,
    "first_name" TEXT NOT NULL,
    "last_name" TEXT NOT NULL,
    "display_name" TEXT,
    "scheduling_name" TEXT,
    "username" TEXT,
    "entity_type" TEXT NOT NULL DEFAULT 'Person',
    "provider_type_id" TEXT,
    "provider_type_name" TEXT,
    "specialty" TEXT,
    "specialty_id" INTEGER,
    "ansi_specialty_code" TEXT,
    "ansi_name_code" TEXT,
    "federal_id_number" TEXT,
    "sex" TEXT,
    "personal_pronouns" TEXT,
    "direct_address" TEXT,
    "schedule_resource_type" TEXT,
    "billable" BOOLEAN NOT NULL DEFAULT true,
    "accepting_new_patients" BOOLEAN NOT NULL DEFAULT true,
    "create_encounter_on_check_in" BOOLEAN NOT NULL DEFAULT true,
    "hidden_in_portal" BOOLEAN NOT NULL DEFAULT false,
    "other_provider_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "create_encounter_provider_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "provider_group_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "provider_office" (
    "organization_id" INTEGER NOT NULL,
    "provider_id" INTEGER NOT NULL,
    "office_id" INTEGER NOT NULL,

    CONSTRAINT "provider_office_pkey" PRIMARY KEY ("organization_id","provider_id","office_id")
);

-- CreateTable
CREATE TABLE "sign_in" (
    "email" TEXT NOT NULL,
    "organization_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "password_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_pkey" PRIMARY KEY ("email")
);

-- CreateTable
CREATE TABLE "session" (
    "organization_id" INTEGER NOT NULL,
    "id" UUID NOT NULL,
    "user_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "revoked_reason" TEXT,

    CONSTRAINT "session_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "refresh_token" (
    "organization_id" INTEGER NOT NULL,
    "hash" BYTEA NOT NULL,
    "session_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3),
    "successor" TEXT,

    CONSTRAINT "refresh_token_pkey" PRIMARY KEY ("organization_id","hash")
);

-- CreateTable
CREATE TABLE "api_client" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "secret_hash" TEXT NOT NULL,
    "scopes" TEXT[],
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "api_client_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_client_grant" (
    "organization_id" INTEGER NOT NULL,
    "client_id" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_client_grant_pkey" PRIMARY KEY ("organization_id","client_id")
);

-- CreateTable
CREATE TABLE "signing_key" (
    "id" TEXT NOT NULL,
    "public_pem" TEXT NOT NULL,
    "private_pem" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "revoked_token" (
    "id" UUID NOT NULL,
    "revoked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "revoked_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_failure" (
    "key" TEXT NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "sign_in_failure_pkey" PRIMARY KEY ("key")
);

-- CreateTable: rows are updated in place again and again: half of each page is left for that.
CREATE UNLOGGED TABLE "request_count" (
    "key" TEXT NOT NULL,
    "taken" INTEGER NOT NULL,
    "ends_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "request_count_pkey" PRIMARY KEY ("key")
) WITH (fillfactor = 50);

-- CreateTable
CREATE TABLE "patient" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "status" "patient_status" NOT NULL DEFAULT 'active',
    "medical_record_no" TEXT,
    "enterprise_id" INTEGER,
    "first_name" TEXT,
    "middle_name" TEXT,
    "last_name" TEXT,
    "suffix" TEXT,
    "preferred_name" TEXT,
    "alt_first_name" TEXT,
    "preferred_pronouns" TEXT,
    "first_name_folded" TEXT COLLATE "C" GENERATED ALWAYS AS (fold(coalesce("first_name", "last_name"))) STORED,
    "last_name_folded" TEXT COLLATE "C" GENERATED ALWAYS AS (fold(coalesce("last_name", "first_name"))) STORED,
    "sex" TEXT,
    "assigned_sex_at_birth" TEXT,
    "gender_identity" TEXT,
    "gender_identity_other" TEXT,
    "sexual_orientation" TEXT,
    "sexual_orientation_other" TEXT,
    "birth_date" DATE,
    "deceased_date" DATE,
    "admit_date" DATE,
    "registration_date" DATE,
    "marital_status" TEXT,
    "races" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "ethnicity_code" TEXT,
    "language_code" TEXT,
    "ssn_encrypted" TEXT,
    "ssn_hash" BYTEA,
    "ssn_last_four" TEXT,
    "address1" TEXT,
    "address2" TEXT,
    "city" TEXT,
    "state" TEXT,
    "zip" TEXT,
    "country_code" TEXT,
    "country_code_3166" TEXT,
    "home_phone" TEXT,
    "mobile_phone" TEXT,
    "mobile_phone_declined" BOOLEAN NOT NULL DEFAULT false,
    "work_phone" TEXT,
    "email" TEXT,
    "email_declined" BOOLEAN NOT NULL DEFAULT false,
    "last_email" TEXT,
    "contact_preference" TEXT,
    "time_zone" TEXT,
    "do_not_call" BOOLEAN NOT NULL DEFAULT false,
    "do_not_sms" BOOLEAN NOT NULL DEFAULT false,
    "homebound" BOOLEAN NOT NULL DEFAULT false,
    "contact_name" TEXT,
    "contact_relationship" TEXT,
    "contact_home_phone" TEXT,
    "contact_mobile_phone" TEXT,
    "next_of_kin_name" TEXT,
    "next_of_kin_relationship" TEXT,
    "next_of_kin_phone" TEXT,
    "guardian_first_name" TEXT,
    "guardian_middle_name" TEXT,
    "guardian_last_name" TEXT,
    "guardian_suffix" TEXT,
    "guarantor_first_name" TEXT,
    "guarantor_middle_name" TEXT,
    "guarantor_last_name" TEXT,
    "guarantor_suffix" TEXT,
    "guarantor_address_same_as_patient" BOOLEAN,
    "guarantor_address1" TEXT,
    "guarantor_address2" TEXT,
    "guarantor_city" TEXT,
    "guarantor_state" TEXT,
    "guarantor_zip" TEXT,
    "guarantor_country_code" TEXT,
    "guarantor_country_code_3166" TEXT,
    "guarantor_birth_date" DATE,
    "guarantor_ssn_encrypted" TEXT,
    "guarantor_ssn_last_four" TEXT,
    "guarantor_email" TEXT,
    "guarantor_phone" TEXT,
    "guarantor_relationship_to_patient" TEXT,
    "guarantor_employer_id" INTEGER,
    "employer_id" INTEGER,
    "employer_phone" TEXT,
    "industry_code" TEXT,
    "occupation_code" TEXT,
    "primary_office_id" INTEGER,
    "primary_provider_id" INTEGER,
    "location_id" INTEGER,
    "portal_terms_on_file" BOOLEAN,
    "portal_signature_on_file" BOOLEAN,
    "portal_access_given" BOOLEAN,
    "medication_history_consent_verified" BOOLEAN,
    "census" BOOLEAN,
    "flags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "patient_pkey" PRIMARY KEY ("organization_id","id")
);

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

-- CreateTable
CREATE TABLE "patient_registration" (
    "organization_id" INTEGER NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "office_id" INTEGER NOT NULL,
    "provider_group_id" INTEGER,
    "primary_provider_id" INTEGER,
    "local_patient_id" INTEGER,
    "status" "patient_status" NOT NULL DEFAULT 'active',
    "registered_on" DATE NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "patient_registration_pkey" PRIMARY KEY ("organization_id","patient_id","office_id")
);

-- CreateTable
CREATE TABLE "employer" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "phone" TEXT,
    "address" TEXT,
    "city" TEXT,
    "state" TEXT,
    "zip" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "employer_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "insurance" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "insurance_package_id" INTEGER,
    "sequence_number" INTEGER NOT NULL,
    "id_number" TEXT,
    "plan_name" TEXT,
    "type" TEXT,
    "irc_name" TEXT,
    "group_number" TEXT,
    "relationship_to_insured" TEXT,
    "relationship_to_insured_id" INTEGER,
    "eligibility_status" TEXT,
    "eligibility_reason" TEXT,
    "eligibility_checked_on" DATE,
    "issued_on" DATE,
    "expires_on" DATE,
    "policy_holder" JSONB,
    "insured" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "insurance_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "balance" (
    "organization_id" INTEGER NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "provider_group_id" INTEGER NOT NULL,
    "amount" DECIMAL(12,2) NOT NULL,
    "collections_amount" DECIMAL(12,2) NOT NULL DEFAULT 0,
    "payment_plan_amount" DECIMAL(12,2) NOT NULL DEFAULT 0,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "balance_pkey" PRIMARY KEY ("organization_id","patient_id","provider_group_id")
);

-- CreateTable
CREATE TABLE "balance_contract" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "provider_group_id" INTEGER NOT NULL,
    "contract_class" TEXT NOT NULL,
    "max_amount" DECIMAL(12,2) NOT NULL,
    "available_amount" DECIMAL(12,2) NOT NULL,

    CONSTRAINT "balance_contract_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "claim" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "provider_group_id" INTEGER NOT NULL,
    "service_date" DATE NOT NULL,
    "description" TEXT,
    "charge_amount" DECIMAL(12,2) NOT NULL,
    "outstanding_patient" DECIMAL(12,2) NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "claim_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "custom_field" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL DEFAULT 'text',
    "options" JSONB,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "custom_field_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "patient_custom_field" (
    "organization_id" INTEGER NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "custom_field_id" INTEGER NOT NULL,
    "value" TEXT,
    "option_id" INTEGER,

    CONSTRAINT "patient_custom_field_pkey" PRIMARY KEY ("organization_id","patient_id","custom_field_id")
);

-- CreateTable
CREATE TABLE "portal_account" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "holder" "portal_holder" NOT NULL,
    "registered_at" TIMESTAMPTZ(3),
    "last_login_at" TIMESTAMPTZ(3),
    "failed_logins" INTEGER NOT NULL DEFAULT 0,
    "blocked_at" TIMESTAMPTZ(3),
    "terms_accepted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "portal_account_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "privacy_restriction" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "kind" "restriction_kind" NOT NULL,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lifted_at" TIMESTAMPTZ(3),

    CONSTRAINT "privacy_restriction_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "privacy_item" (
    "organization_id" INTEGER NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "verified" BOOLEAN NOT NULL,
    "verified_on" DATE,
    "expires_on" DATE,

    CONSTRAINT "privacy_item_pkey" PRIMARY KEY ("organization_id","patient_id","kind")
);

-- CreateTable
CREATE TABLE "appointment_type" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "duration_minutes" INTEGER,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "is_global" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "appointment_type_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "reference_version" (
    "organization_id" INTEGER NOT NULL,
    "version" UUID NOT NULL,

    CONSTRAINT "reference_version_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "global_type_version" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "version" UUID NOT NULL,

    CONSTRAINT "global_type_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "appointment" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "patient_id" INTEGER,
    "type_organization_id" INTEGER,
    "type_id" INTEGER,
    "own_type_id" INTEGER GENERATED ALWAYS AS (CASE WHEN "type_organization_id" = "organization_id" THEN "type_id" END) STORED,
    "office_id" INTEGER,
    "location_id" INTEGER,
    "waiting_room_id" INTEGER,
    "provider_id" INTEGER,
    "starts_at" TIMESTAMPTZ(3),
    "ends_at" TIMESTAMPTZ(3),
    "local_start" TIMESTAMP(3),
    "time_zone" TEXT NOT NULL,
    "duration_minutes" INTEGER NOT NULL,
    "status" "appointment_status" NOT NULL DEFAULT 'scheduled',
    "confirmation" "confirmation_answer" NOT NULL DEFAULT 'Pending',
    "confirmed_at" TIMESTAMPTZ(3),
    "confirmed_by" TEXT,
    "initial_sms_sent" BOOLEAN,
    "show_on_tasks" BOOLEAN NOT NULL DEFAULT true,
    "created_by_user_id" INTEGER,
    "cancelled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "appointment_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "user_appointment" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "appointment_id" BIGINT NOT NULL,
    "starts_at" TIMESTAMPTZ(3),
    "ends_at" TIMESTAMPTZ(3),
    "exclusive" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_appointment_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "appointment_reminder" (
    "organization_id" INTEGER NOT NULL,
    "appointment_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "appointment_reminder_pkey" PRIMARY KEY ("organization_id","appointment_id","kind")
);

-- CreateTable
CREATE TABLE "contact" (
    "organization_id" INTEGER NOT NULL,
    "id" INTEGER NOT NULL,
    "patient_id" INTEGER,
    "first_name" TEXT,
    "last_name" TEXT,
    "phone" TEXT,
    "email" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_key" TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (coalesce(fold(last_name), '')) STORED,
    "first_key" TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (coalesce(fold(first_name), '')) STORED,

    CONSTRAINT "contact_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "contact_tag" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "color" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contact_tag_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "contact_contact_tag" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "contact_tag_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contact_contact_tag_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "chat" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chat_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "chat_member" (
    "organization_id" INTEGER NOT NULL,
    "chat_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "ring_order" INTEGER NOT NULL,

    CONSTRAINT "chat_member_pkey" PRIMARY KEY ("organization_id","chat_id","user_id")
);

-- CreateTable
CREATE TABLE "phone_number" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "number" TEXT NOT NULL,
    "kind" "phone_number_kind" NOT NULL,
    "chat_id" INTEGER,
    "state" "phone_number_state" NOT NULL DEFAULT 'active',
    "failure" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "carrier" TEXT,
    "carrier_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "released_at" TIMESTAMPTZ(3),

    CONSTRAINT "phone_number_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "incoming_call" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "phone_number_id" INTEGER NOT NULL,
    "carrier_call_id" TEXT NOT NULL,
    "from_number" TEXT NOT NULL,
    "to_number" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "incoming_call_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "voice_pager_message" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "phone_number_id" INTEGER NOT NULL,
    "carrier_id" TEXT NOT NULL,
    "from_number" TEXT NOT NULL,
    "transcript" TEXT,
    "duration_seconds" INTEGER,
    "recording_url" TEXT,
    "recording_due_at" TIMESTAMPTZ(3),
    "recording_attempts" INTEGER NOT NULL DEFAULT 0,
    "attachment_id" BIGINT,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "voice_pager_message_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "carrier_number" (
    "id" TEXT NOT NULL,
    "number" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "bought_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "returned_at" TIMESTAMPTZ(3),

    CONSTRAINT "carrier_number_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "carrier_text" (
    "id" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "from_number" TEXT NOT NULL,
    "to_number" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "status_url" TEXT,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "reported_at" TIMESTAMPTZ(3),

    CONSTRAINT "carrier_text_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "carrier_attempt" (
    "reference" TEXT NOT NULL,
    "begun_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "carrier_id" TEXT,

    CONSTRAINT "carrier_attempt_pkey" PRIMARY KEY ("reference")
);

-- CreateTable
CREATE TABLE "sms_template" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "category" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "tracks_response" BOOLEAN NOT NULL DEFAULT false,
    "active" BOOLEAN NOT NULL DEFAULT false,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sms_template_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "sms_message" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "direction" "message_direction" NOT NULL,
    "patient_id" INTEGER,
    "appointment_id" BIGINT,
    "template_id" INTEGER,
    "review_user_id" INTEGER,
    "from_number" TEXT,
    "to_number" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "sealed" TEXT,
    "state" "message_state" NOT NULL,
    "reason" TEXT,
    "carrier_id" TEXT,
    "not_before" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "is_reply" BOOLEAN NOT NULL DEFAULT false,
    "urgent" BOOLEAN NOT NULL DEFAULT false,
    "answered_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sms_message_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "mail_message" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "patient_id" INTEGER,
    "to_address" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "sealed" TEXT,
    "state" "message_state" NOT NULL,
    "reason" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mail_message_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "local_mail" (
    "reference" TEXT NOT NULL,
    "from_name" TEXT NOT NULL,
    "to_address" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "local_mail_pkey" PRIMARY KEY ("reference")
);

-- CreateTable
CREATE TABLE "opt_out" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "number" TEXT NOT NULL,
    "opted_out" BOOLEAN NOT NULL,
    "keyword" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "opt_out_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "canned_reply" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER,
    "message" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "canned_reply_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "survey_type" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "questions" JSONB NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "survey_type_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "check_in" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "survey_type_id" INTEGER,
    "scheduled_check_in_id" INTEGER,
    "occurrence_on" DATE,
    "channel" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "link_hash" BYTEA NOT NULL,
    "sms_message_id" BIGINT,
    "mail_message_id" BIGINT,
    "sent_by_user_id" INTEGER,
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "answered_at" TIMESTAMPTZ(3),
    "answers" JSONB,
    "reviewed" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "check_in_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "reading" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "check_in_id" BIGINT NOT NULL,
    "item_id" INTEGER NOT NULL,
    "value" DECIMAL(12,3) NOT NULL,
    "measured_at" TIMESTAMPTZ(3) NOT NULL,
    "measured_on" DATE NOT NULL,

    CONSTRAINT "reading_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "scheduled_check_in" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "schedule_time" TEXT NOT NULL,
    "schedule_period" TEXT NOT NULL,
    "starts_on" DATE NOT NULL,
    "next_run_at" TIMESTAMPTZ(3),
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_by_user_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scheduled_check_in_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "scheduled_check_in_survey" (
    "organization_id" INTEGER NOT NULL,
    "scheduled_check_in_id" INTEGER NOT NULL,
    "survey_type_id" INTEGER NOT NULL,

    CONSTRAINT "scheduled_check_in_survey_pkey" PRIMARY KEY ("organization_id","scheduled_check_in_id","survey_type_id")
);

-- CreateTable
CREATE TABLE "scheduled_check_in_recipient" (
    "organization_id" INTEGER NOT NULL,
    "scheduled_check_in_id" INTEGER NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "channel" TEXT NOT NULL,

    CONSTRAINT "scheduled_check_in_recipient_pkey" PRIMARY KEY ("organization_id","scheduled_check_in_id","patient_id")
);

-- CreateTable
CREATE TABLE "external_message" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "contact_id" INTEGER,
    "patient_id" INTEGER,
    "channel" TEXT NOT NULL,
    "sent_to" TEXT NOT NULL,
    "sms_message_id" BIGINT,
    "mail_message_id" BIGINT,
    "receiver_first_name" TEXT,
    "receiver_last_name" TEXT,
    "subject" TEXT,
    "message" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "extra_auth" BOOLEAN NOT NULL DEFAULT false,
    "display_credentials" BOOLEAN NOT NULL DEFAULT false,
    "link_hash" BYTEA NOT NULL,
    "code_hash" BYTEA,
    "code_expires_at" TIMESTAMPTZ(3),
    "code_sent_to" TEXT,
    "codes_sent_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
    "wrong_codes" INTEGER NOT NULL DEFAULT 0,
    "wrong_in_all" INTEGER NOT NULL DEFAULT 0,
    "total_views" INTEGER NOT NULL DEFAULT 0,
    "total_downloads" INTEGER NOT NULL DEFAULT 0,
    "last_viewed_at" TIMESTAMPTZ(3),
    "withdrawn_at" TIMESTAMPTZ(3),
    "created_by_user_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "external_message_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "external_message_attachment" (
    "organization_id" INTEGER NOT NULL,
    "external_message_id" BIGINT NOT NULL,
    "attachment_id" BIGINT NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "external_message_attachment_pkey" PRIMARY KEY ("organization_id","external_message_id","attachment_id")
);

-- CreateTable
CREATE TABLE "attachment" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "file_name" TEXT NOT NULL,
    "media_type" TEXT NOT NULL,
    "byte_length" INTEGER NOT NULL,
    "sha256" BYTEA NOT NULL,
    "storage_key" TEXT NOT NULL,
    "uploaded_by_user_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "attachment_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "unclaimed_file" (
    "organization_id" INTEGER NOT NULL,
    "storage_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "unclaimed_file_pkey" PRIMARY KEY ("organization_id","storage_key")
);

-- CreateTable
CREATE TABLE "video_session" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "guid" UUID NOT NULL,
    "host_user_id" INTEGER NOT NULL,
    "appointment_id" BIGINT,
    "kind" TEXT NOT NULL DEFAULT 'telehealth',
    "provider" TEXT NOT NULL DEFAULT 'mesh',
    "host_link_hash" BYTEA NOT NULL,
    "guest_link_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "recording_since" TIMESTAMPTZ(3),

    CONSTRAINT "video_session_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "session_participant" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "video_session_id" BIGINT NOT NULL,
    "role" TEXT NOT NULL,
    "user_id" INTEGER,
    "patient_id" INTEGER,
    "display_name" TEXT,
    "waiting_since" TIMESTAMPTZ(3),
    "admitted_at" TIMESTAMPTZ(3),
    "joined_at" TIMESTAMPTZ(3),
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "left_at" TIMESTAMPTZ(3),
    "refused_at" TIMESTAMPTZ(3),
    "invite_id" BIGINT,
    "connection" UUID,

    CONSTRAINT "session_participant_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "session_image" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "video_session_id" BIGINT NOT NULL,
    "attachment_id" BIGINT NOT NULL,
    "thumbnail_attachment_id" BIGINT,
    "title" TEXT,
    "width" INTEGER,
    "height" INTEGER,
    "taken_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_image_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "session_video" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "video_session_id" BIGINT NOT NULL,
    "attachment_id" BIGINT NOT NULL,
    "thumbnail_attachment_id" BIGINT,
    "title" TEXT,
    "width" INTEGER,
    "height" INTEGER,
    "duration_seconds" INTEGER,
    "seekable" BOOLEAN NOT NULL DEFAULT false,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_video_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "session_invite" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "video_session_id" BIGINT,
    "waiting_room_id" INTEGER,
    "appointment_id" BIGINT,
    "patient_id" INTEGER,
    "channel" TEXT NOT NULL,
    "sent_to" TEXT NOT NULL,
    "link_hash" BYTEA NOT NULL,
    "sms_message_id" BIGINT,
    "mail_message_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "withdrawn_at" TIMESTAMPTZ(3),

    CONSTRAINT "session_invite_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "telehealth_visit" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "video_session_id" BIGINT NOT NULL,
    "patient_id" INTEGER,
    "appointment_id" BIGINT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "telehealth_visit_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "waiting_room_visit" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "waiting_room_id" INTEGER NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "appointment_id" BIGINT,
    "invite_id" BIGINT,
    "video_session_id" BIGINT,
    "entered_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "admitted_at" TIMESTAMPTZ(3),
    "left_at" TIMESTAMPTZ(3),
    "connection" UUID,

    CONSTRAINT "waiting_room_visit_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE UNLOGGED TABLE "session_signal" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "address" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_signal_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "user_review_url" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "url" TEXT NOT NULL,
    "title" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_review_url_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "program" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "program_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "workflow_step" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "program_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "workflow_step_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "program_patient" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "program_id" INTEGER NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "step_id" INTEGER,
    "added_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "program_patient_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "workflow_event" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "program_patient_id" BIGINT NOT NULL,
    "step_id" INTEGER NOT NULL,
    "user_id" INTEGER,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_event_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "item" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "unit" TEXT,
    "min_target" DECIMAL(12,3),
    "max_target" DECIMAL(12,3),
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "item_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "tracked_condition" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "provider_id" INTEGER,
    "user_id" INTEGER,
    "icd_code" TEXT,
    "icd_lex_code" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "tracked_condition_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "tracked_condition_item" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "tracked_condition_id" INTEGER NOT NULL,
    "item_id" INTEGER NOT NULL,
    "min_target" DECIMAL(12,3),
    "max_target" DECIMAL(12,3),
    "since" TIMESTAMPTZ(3),
    "until" TIMESTAMPTZ(3),

    CONSTRAINT "tracked_condition_item_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "check_in_review" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "check_in_id" BIGINT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "created_by_id" INTEGER,
    "patient_id" INTEGER NOT NULL,
    "message" TEXT,
    "display" BOOLEAN NOT NULL DEFAULT false,
    "minutes" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "live_contact" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "check_in_review_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "push_subscription" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "session_id" UUID NOT NULL,
    "endpoint_hash" BYTEA NOT NULL,
    "subscription" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_subscription_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "notification" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "transaction_id" BIGINT NOT NULL DEFAULT log_transaction(),
    "user_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "pushed_at" TIMESTAMPTZ(3),
    "settled_at" TIMESTAMPTZ(3),
    "read_at" TIMESTAMPTZ(3),

    CONSTRAINT "notification_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "push_delivery" (
    "organization_id" INTEGER NOT NULL,
    "notification_id" BIGINT NOT NULL,
    "subscription_id" BIGINT NOT NULL,
    "delivered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_delivery_pkey" PRIMARY KEY ("organization_id","notification_id","subscription_id")
);

-- CreateTable
CREATE TABLE "push_key" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "public_key" TEXT NOT NULL,
    "private_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "transaction_id" BIGINT NOT NULL DEFAULT log_transaction(),
    "name" TEXT NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" BIGINT NOT NULL,
    "changed" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "actor" TEXT NOT NULL,
    "request_id" TEXT,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pkey" PRIMARY KEY ("organization_id","transaction_id","id")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "transaction_id" BIGINT NOT NULL DEFAULT log_transaction(),
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "resource_ids" BIGINT[],
    "patient_ids" INTEGER[],
    "operation" TEXT NOT NULL,
    "request_id" TEXT,
    "address" TEXT,
    "detail" TEXT,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "audit_link" (
    "organization_id" INTEGER NOT NULL,
    "position" BIGINT NOT NULL,
    "audit_entry_id" BIGINT NOT NULL,
    "transaction_id" BIGINT NOT NULL,
    "key_id" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_link_pkey" PRIMARY KEY ("organization_id","position")
);

-- CreateTable
CREATE TABLE "idempotency_record" (
    "organization_id" INTEGER NOT NULL,
    "caller" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "status" INTEGER NOT NULL,
    "headers" JSONB NOT NULL,
    "body" BYTEA NOT NULL,
    "audits" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("organization_id","caller","key")
);

-- CreateTable
CREATE TABLE "webhook_endpoint" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "url" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "event_names" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "active" BOOLEAN NOT NULL DEFAULT true,
    "last_transaction_id" BIGINT NOT NULL DEFAULT 0,
    "last_event_id" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "webhook_endpoint_id" INTEGER NOT NULL,
    "event_id" BIGINT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "status" INTEGER,
    "next_attempt_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "office_organization_id_provider_group_id_idx" ON "office"("organization_id", "provider_group_id");

-- CreateIndex
CREATE INDEX "location_organization_id_office_id_idx" ON "location"("organization_id", "office_id");

-- CreateIndex
CREATE INDEX "waiting_room_organization_id_office_id_idx" ON "waiting_room"("organization_id", "office_id");

-- CreateIndex
CREATE INDEX "waiting_room_organization_id_user_id_idx" ON "waiting_room"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "user_organization_id_last_name_first_name_idx" ON "user"("organization_id", "last_name", "first_name");

-- CreateIndex
CREATE INDEX "provider_organization_id_last_name_first_name_idx" ON "provider"("organization_id", "last_name", "first_name");

-- CreateIndex
CREATE INDEX "provider_organization_id_user_id_idx" ON "provider"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "provider_organization_id_supervising_provider_id_idx" ON "provider"("organization_id", "supervising_provider_id");

-- CreateIndex
CREATE INDEX "provider_organization_id_home_office_id_idx" ON "provider"("organization_id", "home_office_id");

-- CreateIndex
CREATE UNIQUE INDEX "provider_organization_id_npi_key" ON "provider"("organization_id", "npi");

-- CreateIndex
CREATE INDEX "provider_office_organization_id_office_id_idx" ON "provider_office"("organization_id", "office_id");

-- CreateIndex
CREATE INDEX "sign_in_organization_id_user_id_idx" ON "sign_in"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "session_organization_id_user_id_idx" ON "session"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");

-- CreateIndex
CREATE INDEX "refresh_token_organization_id_session_id_idx" ON "refresh_token"("organization_id", "session_id");

-- CreateIndex
CREATE INDEX "api_client_grant_client_id_idx" ON "api_client_grant"("client_id");

-- CreateIndex
CREATE INDEX "api_client_grant_organization_id_user_id_idx" ON "api_client_grant"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "revoked_token_expires_at_idx" ON "revoked_token"("expires_at");

-- CreateIndex
CREATE INDEX "patient_organization_id_primary_office_id_id_idx" ON "patient"("organization_id", "primary_office_id", "id");

-- CreateIndex
CREATE INDEX "patient_organization_id_primary_provider_id_idx" ON "patient"("organization_id", "primary_provider_id");

-- CreateIndex
CREATE INDEX "patient_organization_id_location_id_idx" ON "patient"("organization_id", "location_id");

-- CreateIndex
CREATE INDEX "patient_organization_id_mobile_phone_idx" ON "patient"("organization_id", "mobile_phone");

-- CreateIndex
CREATE INDEX "patient_organization_id_home_phone_idx" ON "patient"("organization_id", "home_phone");

-- CreateIndex
CREATE INDEX "patient_organization_id_ssn_hash_idx" ON "patient"("organization_id", "ssn_hash");

-- CreateIndex
CREATE INDEX "patient_organization_id_enterprise_id_idx" ON "patient"("organization_id", "enterprise_id");

-- CreateIndex
CREATE INDEX "patient_organization_id_employer_id_idx" ON "patient"("organization_id", "employer_id");

-- CreateIndex
CREATE INDEX "patient_organization_id_guarantor_employer_id_idx" ON "patient"("organization_id", "guarantor_employer_id");

-- CreateIndex
CREATE UNIQUE INDEX "patient_organization_id_medical_record_no_key" ON "patient"("organization_id", "medical_record_no");

-- CreateIndex
CREATE INDEX "patient_registration_organization_id_office_id_patient_id_idx" ON "patient_registration"("organization_id", "office_id", "patient_id");

-- CreateIndex
CREATE INDEX "patient_registration_organization_id_provider_group_id_idx" ON "patient_registration"("organization_id", "provider_group_id");

-- CreateIndex
CREATE INDEX "patient_registration_organization_id_primary_provider_id_idx" ON "patient_registration"("organization_id", "primary_provider_id");

-- CreateIndex
CREATE INDEX "employer_organization_id_name_idx" ON "employer"("organization_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "insurance_organization_id_patient_id_sequence_number_key" ON "insurance"("organization_id", "patient_id", "sequence_number");

-- CreateIndex
CREATE INDEX "balance_organization_id_provider_group_id_idx" ON "balance"("organization_id", "provider_group_id");

-- CreateIndex
CREATE INDEX "balance_contract_organization_id_patient_id_provider_group__idx" ON "balance_contract"("organization_id", "patient_id", "provider_group_id");

-- CreateIndex
CREATE INDEX "claim_organization_id_patient_id_service_date_idx" ON "claim"("organization_id", "patient_id", "service_date");

-- CreateIndex
CREATE UNIQUE INDEX "custom_field_organization_id_name_key" ON "custom_field"("organization_id", "name");

-- CreateIndex
CREATE INDEX "patient_custom_field_organization_id_custom_field_id_idx" ON "patient_custom_field"("organization_id", "custom_field_id");

-- CreateIndex
CREATE UNIQUE INDEX "portal_account_organization_id_patient_id_holder_key" ON "portal_account"("organization_id", "patient_id", "holder");

-- CreateIndex
CREATE INDEX "privacy_restriction_organization_id_patient_id_idx" ON "privacy_restriction"("organization_id", "patient_id");

-- CreateIndex: with the columns that lists and figures filter by, so that counting a month does not read the table.
CREATE INDEX "appointment_organization_id_starts_at_id_idx" ON "appointment"("organization_id", "starts_at", "id")
  INCLUDE ("status", "confirmation", "show_on_tasks", "type_id", "location_id");

-- CreateIndex: with the columns that lists and figures filter by, so that counting a month does not read the table.
CREATE INDEX "appointment_organization_id_office_id_starts_at_id_idx" ON "appointment"("organization_id", "office_id", "starts_at", "id")
  INCLUDE ("status", "confirmation", "show_on_tasks", "type_id", "location_id");

-- CreateIndex
CREATE INDEX "appointment_organization_id_patient_id_starts_at_idx" ON "appointment"("organization_id", "patient_id", "starts_at");

-- CreateIndex
CREATE INDEX "appointment_organization_id_provider_id_starts_at_idx" ON "appointment"("organization_id", "provider_id", "starts_at");

-- CreateIndex
CREATE INDEX "appointment_organization_id_own_type_id_idx" ON "appointment"("organization_id", "own_type_id");

-- CreateIndex
CREATE INDEX "appointment_organization_id_location_id_idx" ON "appointment"("organization_id", "location_id");

-- CreateIndex
CREATE INDEX "appointment_organization_id_waiting_room_id_idx" ON "appointment"("organization_id", "waiting_room_id");

-- CreateIndex
CREATE INDEX "appointment_organization_id_created_by_user_id_idx" ON "appointment"("organization_id", "created_by_user_id");

-- CreateIndex
CREATE INDEX "user_appointment_organization_id_user_id_starts_at_appointm_idx" ON "user_appointment"("organization_id", "user_id", "starts_at", "appointment_id");

-- CreateIndex
CREATE UNIQUE INDEX "user_appointment_organization_id_appointment_id_user_id_key" ON "user_appointment"("organization_id", "appointment_id", "user_id");

-- CreateIndex
CREATE INDEX "appointment_reminder_due_at_idx" ON "appointment_reminder"("due_at");

-- CreateIndex
CREATE UNIQUE INDEX "contact_organization_id_patient_id_key" ON "contact"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "contact_contact_tag_organization_id_contact_tag_id_idx" ON "contact_contact_tag"("organization_id", "contact_tag_id");

-- CreateIndex
CREATE UNIQUE INDEX "contact_contact_tag_organization_id_contact_id_contact_tag__key" ON "contact_contact_tag"("organization_id", "contact_id", "contact_tag_id");

-- CreateIndex
CREATE INDEX "chat_member_organization_id_user_id_idx" ON "chat_member"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "phone_number_organization_id_chat_id_idx" ON "phone_number"("organization_id", "chat_id");

-- CreateIndex
CREATE INDEX "phone_number_number_idx" ON "phone_number"("number");

-- CreateIndex
CREATE INDEX "incoming_call_organization_id_started_at_id_idx" ON "incoming_call"("organization_id", "started_at", "id");

-- CreateIndex
CREATE INDEX "incoming_call_organization_id_from_number_started_at_id_idx" ON "incoming_call"("organization_id", "from_number", "started_at", "id");

-- CreateIndex
CREATE INDEX "incoming_call_organization_id_to_number_started_at_id_idx" ON "incoming_call"("organization_id", "to_number", "started_at", "id");

-- CreateIndex
CREATE INDEX "incoming_call_organization_id_phone_number_id_idx" ON "incoming_call"("organization_id", "phone_number_id");

-- CreateIndex
CREATE UNIQUE INDEX "incoming_call_organization_id_carrier_call_id_key" ON "incoming_call"("organization_id", "carrier_call_id");

-- CreateIndex
CREATE INDEX "voice_pager_message_organization_id_phone_number_id_receive_idx" ON "voice_pager_message"("organization_id", "phone_number_id", "received_at");

-- CreateIndex
CREATE INDEX "voice_pager_message_organization_id_attachment_id_idx" ON "voice_pager_message"("organization_id", "attachment_id");

-- CreateIndex
CREATE UNIQUE INDEX "voice_pager_message_organization_id_carrier_id_key" ON "voice_pager_message"("organization_id", "carrier_id");

-- CreateIndex
CREATE UNIQUE INDEX "carrier_number_reference_key" ON "carrier_number"("reference");

-- CreateIndex
CREATE UNIQUE INDEX "carrier_text_reference_key" ON "carrier_text"("reference");

-- CreateIndex
CREATE INDEX "carrier_text_to_number_received_at_idx" ON "carrier_text"("to_number", "received_at");

-- CreateIndex
CREATE UNIQUE INDEX "carrier_attempt_carrier_id_key" ON "carrier_attempt"("carrier_id");

-- CreateIndex
CREATE INDEX "sms_template_organization_id_category_idx" ON "sms_template"("organization_id", "category");

-- CreateIndex
CREATE INDEX "sms_message_organization_id_queued_at_id_idx" ON "sms_message"("organization_id", "queued_at", "id");

-- CreateIndex
CREATE INDEX "sms_message_organization_id_patient_id_queued_at_idx" ON "sms_message"("organization_id", "patient_id", "queued_at");

-- CreateIndex
CREATE INDEX "sms_message_organization_id_appointment_id_idx" ON "sms_message"("organization_id", "appointment_id");

-- CreateIndex
CREATE INDEX "sms_message_organization_id_template_id_idx" ON "sms_message"("organization_id", "template_id");

-- CreateIndex
CREATE INDEX "sms_message_organization_id_to_number_queued_at_idx" ON "sms_message"("organization_id", "to_number", "queued_at");

-- CreateIndex
CREATE INDEX "sms_message_organization_id_state_idx" ON "sms_message"("organization_id", "state");

-- CreateIndex
CREATE UNIQUE INDEX "sms_message_organization_id_carrier_id_key" ON "sms_message"("organization_id", "carrier_id");

-- CreateIndex
CREATE INDEX "mail_message_organization_id_patient_id_queued_at_idx" ON "mail_message"("organization_id", "patient_id", "queued_at");

-- CreateIndex
CREATE INDEX "local_mail_sent_at_idx" ON "local_mail"("sent_at");

-- CreateIndex
CREATE INDEX "opt_out_organization_id_number_recorded_at_idx" ON "opt_out"("organization_id", "number", "recorded_at");

-- CreateIndex
CREATE INDEX "check_in_organization_id_patient_id_sent_at_idx" ON "check_in"("organization_id", "patient_id", "sent_at");

-- CreateIndex
CREATE INDEX "check_in_organization_id_answered_at_idx" ON "check_in"("organization_id", "answered_at");

-- CreateIndex
CREATE INDEX "check_in_organization_id_survey_type_id_idx" ON "check_in"("organization_id", "survey_type_id");

-- CreateIndex
CREATE INDEX "check_in_organization_id_sms_message_id_idx" ON "check_in"("organization_id", "sms_message_id");

-- CreateIndex
CREATE INDEX "check_in_organization_id_mail_message_id_idx" ON "check_in"("organization_id", "mail_message_id");

-- CreateIndex
CREATE INDEX "check_in_organization_id_sent_at_id_idx" ON "check_in"("organization_id", "sent_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "check_in_organization_id_link_hash_key" ON "check_in"("organization_id", "link_hash");

-- CreateIndex
CREATE UNIQUE INDEX "check_in_organization_id_scheduled_check_in_id_patient_id_s_key" ON "check_in"("organization_id", "scheduled_check_in_id", "patient_id", "survey_type_id", "occurrence_on");

-- CreateIndex
CREATE INDEX "reading_organization_id_patient_id_measured_on_idx" ON "reading"("organization_id", "patient_id", "measured_on");

-- CreateIndex
CREATE INDEX "reading_organization_id_item_id_idx" ON "reading"("organization_id", "item_id");

-- CreateIndex
CREATE UNIQUE INDEX "reading_organization_id_check_in_id_item_id_key" ON "reading"("organization_id", "check_in_id", "item_id");

-- CreateIndex
CREATE INDEX "scheduled_check_in_next_run_at_idx" ON "scheduled_check_in"("next_run_at");

-- CreateIndex
CREATE INDEX "scheduled_check_in_survey_organization_id_survey_type_id_idx" ON "scheduled_check_in_survey"("organization_id", "survey_type_id");

-- CreateIndex
CREATE INDEX "scheduled_check_in_recipient_organization_id_patient_id_idx" ON "scheduled_check_in_recipient"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "external_message_organization_id_contact_id_idx" ON "external_message"("organization_id", "contact_id");

-- CreateIndex
CREATE INDEX "external_message_organization_id_patient_id_idx" ON "external_message"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "external_message_organization_id_sms_message_id_idx" ON "external_message"("organization_id", "sms_message_id");

-- CreateIndex
CREATE INDEX "external_message_organization_id_mail_message_id_idx" ON "external_message"("organization_id", "mail_message_id");

-- CreateIndex
CREATE INDEX "external_message_organization_id_created_at_id_idx" ON "external_message"("organization_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "external_message_organization_id_link_hash_key" ON "external_message"("organization_id", "link_hash");

-- CreateIndex
CREATE INDEX "external_message_attachment_organization_id_attachment_id_idx" ON "external_message_attachment"("organization_id", "attachment_id");

-- CreateIndex
CREATE INDEX "unclaimed_file_created_at_idx" ON "unclaimed_file"("created_at");

-- CreateIndex
CREATE INDEX "video_session_organization_id_host_user_id_created_at_idx" ON "video_session"("organization_id", "host_user_id", "created_at");

-- CreateIndex
CREATE INDEX "video_session_organization_id_appointment_id_idx" ON "video_session"("organization_id", "appointment_id");

-- CreateIndex
CREATE INDEX "video_session_organization_id_created_at_id_idx" ON "video_session"("organization_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "video_session_organization_id_started_at_id_idx" ON "video_session"("organization_id", "started_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "video_session_organization_id_guid_key" ON "video_session"("organization_id", "guid");

-- CreateIndex
CREATE UNIQUE INDEX "video_session_organization_id_host_link_hash_key" ON "video_session"("organization_id", "host_link_hash");

-- CreateIndex
CREATE UNIQUE INDEX "video_session_organization_id_guest_link_hash_key" ON "video_session"("organization_id", "guest_link_hash");

-- CreateIndex
CREATE INDEX "session_participant_organization_id_video_session_id_idx" ON "session_participant"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "session_participant_organization_id_patient_id_idx" ON "session_participant"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "session_participant_organization_id_invite_id_idx" ON "session_participant"("organization_id", "invite_id");

-- CreateIndex
CREATE INDEX "session_image_organization_id_video_session_id_idx" ON "session_image"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "session_image_organization_id_taken_at_id_idx" ON "session_image"("organization_id", "taken_at", "id");

-- CreateIndex
CREATE INDEX "session_image_organization_id_attachment_id_idx" ON "session_image"("organization_id", "attachment_id");

-- CreateIndex
CREATE INDEX "session_image_organization_id_thumbnail_attachment_id_idx" ON "session_image"("organization_id", "thumbnail_attachment_id");

-- CreateIndex
CREATE INDEX "session_video_organization_id_video_session_id_idx" ON "session_video"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "session_video_organization_id_recorded_at_id_idx" ON "session_video"("organization_id", "recorded_at", "id");

-- CreateIndex
CREATE INDEX "session_video_organization_id_attachment_id_idx" ON "session_video"("organization_id", "attachment_id");

-- CreateIndex
CREATE INDEX "session_video_organization_id_thumbnail_attachment_id_idx" ON "session_video"("organization_id", "thumbnail_attachment_id");

-- CreateIndex
CREATE INDEX "session_invite_organization_id_video_session_id_idx" ON "session_invite"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "session_invite_organization_id_waiting_room_id_idx" ON "session_invite"("organization_id", "waiting_room_id");

-- CreateIndex
CREATE INDEX "session_invite_organization_id_appointment_id_idx" ON "session_invite"("organization_id", "appointment_id");

-- CreateIndex
CREATE INDEX "session_invite_organization_id_patient_id_idx" ON "session_invite"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "session_invite_organization_id_sms_message_id_idx" ON "session_invite"("organization_id", "sms_message_id");

-- CreateIndex
CREATE INDEX "session_invite_organization_id_mail_message_id_idx" ON "session_invite"("organization_id", "mail_message_id");

-- CreateIndex
CREATE UNIQUE INDEX "session_invite_organization_id_link_hash_key" ON "session_invite"("organization_id", "link_hash");

-- CreateIndex
CREATE INDEX "telehealth_visit_organization_id_patient_id_started_at_idx" ON "telehealth_visit"("organization_id", "patient_id", "started_at");

-- CreateIndex
CREATE INDEX "telehealth_visit_organization_id_video_session_id_idx" ON "telehealth_visit"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "telehealth_visit_organization_id_started_at_idx" ON "telehealth_visit"("organization_id", "started_at");

-- CreateIndex
CREATE INDEX "telehealth_visit_organization_id_appointment_id_idx" ON "telehealth_visit"("organization_id", "appointment_id");

-- CreateIndex
CREATE INDEX "waiting_room_visit_organization_id_patient_id_entered_at_idx" ON "waiting_room_visit"("organization_id", "patient_id", "entered_at");

-- CreateIndex
CREATE INDEX "waiting_room_visit_organization_id_waiting_room_id_idx" ON "waiting_room_visit"("organization_id", "waiting_room_id");

-- CreateIndex
CREATE INDEX "waiting_room_visit_organization_id_entered_at_idx" ON "waiting_room_visit"("organization_id", "entered_at");

-- CreateIndex
CREATE INDEX "waiting_room_visit_organization_id_invite_id_idx" ON "waiting_room_visit"("organization_id", "invite_id");

-- CreateIndex
CREATE INDEX "waiting_room_visit_organization_id_video_session_id_idx" ON "waiting_room_visit"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "waiting_room_visit_organization_id_appointment_id_idx" ON "waiting_room_visit"("organization_id", "appointment_id");

-- CreateIndex
CREATE INDEX "session_signal_created_at_idx" ON "session_signal"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "user_review_url_organization_id_user_id_url_key" ON "user_review_url"("organization_id", "user_id", "url");

-- CreateIndex
CREATE UNIQUE INDEX "workflow_step_organization_id_program_id_position_key" ON "workflow_step"("organization_id", "program_id", "position");

-- CreateIndex
CREATE INDEX "program_patient_organization_id_program_id_idx" ON "program_patient"("organization_id", "program_id");

-- CreateIndex
CREATE INDEX "program_patient_organization_id_patient_id_idx" ON "program_patient"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "program_patient_organization_id_step_id_idx" ON "program_patient"("organization_id", "step_id");

-- CreateIndex
CREATE INDEX "workflow_event_organization_id_program_patient_id_occurred__idx" ON "workflow_event"("organization_id", "program_patient_id", "occurred_at");

-- CreateIndex
CREATE INDEX "workflow_event_organization_id_step_id_idx" ON "workflow_event"("organization_id", "step_id");

-- CreateIndex
CREATE INDEX "workflow_event_organization_id_user_id_idx" ON "workflow_event"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "tracked_condition_organization_id_patient_id_idx" ON "tracked_condition"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "tracked_condition_organization_id_provider_id_idx" ON "tracked_condition"("organization_id", "provider_id");

-- CreateIndex
CREATE INDEX "tracked_condition_organization_id_user_id_idx" ON "tracked_condition"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "tracked_condition_item_organization_id_tracked_condition_id_idx" ON "tracked_condition_item"("organization_id", "tracked_condition_id");

-- CreateIndex
CREATE INDEX "tracked_condition_item_organization_id_item_id_idx" ON "tracked_condition_item"("organization_id", "item_id");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_patient_id_started_at_idx" ON "check_in_review"("organization_id", "patient_id", "started_at");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_check_in_id_idx" ON "check_in_review"("organization_id", "check_in_id");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_user_id_idx" ON "check_in_review"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_created_by_id_idx" ON "check_in_review"("organization_id", "created_by_id");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_created_at_idx" ON "check_in_review"("organization_id", "created_at");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_started_at_id_idx" ON "check_in_review"("organization_id", "started_at", "id");

-- CreateIndex
CREATE INDEX "push_subscription_organization_id_user_id_idx" ON "push_subscription"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "push_subscription_organization_id_session_id_idx" ON "push_subscription"("organization_id", "session_id");

-- CreateIndex
CREATE UNIQUE INDEX "push_subscription_organization_id_endpoint_hash_key" ON "push_subscription"("organization_id", "endpoint_hash");

-- CreateIndex
CREATE INDEX "notification_organization_id_user_id_transaction_id_id_idx" ON "notification"("organization_id", "user_id", "transaction_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "notification_organization_id_user_id_kind_subject_type_subj_key" ON "notification"("organization_id", "user_id", "kind", "subject_type", "subject_id");

-- CreateIndex
CREATE INDEX "push_delivery_organization_id_subscription_id_idx" ON "push_delivery"("organization_id", "subscription_id");

-- CreateIndex
CREATE INDEX "audit_entry_organization_id_transaction_id_id_idx" ON "audit_entry"("organization_id", "transaction_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "audit_link_organization_id_audit_entry_id_key" ON "audit_link"("organization_id", "audit_entry_id");

-- CreateIndex
CREATE INDEX "idempotency_record_expires_at_idx" ON "idempotency_record"("expires_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_next_attempt_at_idx" ON "webhook_delivery"("next_attempt_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_organization_id_webhook_endpoint_id_event__key" ON "webhook_delivery"("organization_id", "webhook_endpoint_id", "event_id");

-- AddForeignKey
ALTER TABLE "office" ADD CONSTRAINT "office_organization_id_provider_group_id_fkey" FOREIGN KEY ("organization_id", "provider_group_id") REFERENCES "provider_group"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "location" ADD CONSTRAINT "location_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "waiting_room" ADD CONSTRAINT "waiting_room_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "waiting_room" ADD CONSTRAINT "waiting_room_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "provider" ADD CONSTRAINT "provider_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "provider" ADD CONSTRAINT "provider_organization_id_supervising_provider_id_fkey" FOREIGN KEY ("organization_id", "supervising_provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "provider" ADD CONSTRAINT "provider_organization_id_home_office_id_fkey" FOREIGN KEY ("organization_id", "home_office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "provider_office" ADD CONSTRAINT "provider_office_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "provider_office" ADD CONSTRAINT "provider_office_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "sign_in" ADD CONSTRAINT "sign_in_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "refresh_token" ADD CONSTRAINT "refresh_token_organization_id_session_id_fkey" FOREIGN KEY ("organization_id", "session_id") REFERENCES "session"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "api_client_grant" ADD CONSTRAINT "api_client_grant_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_employer_id_fkey" FOREIGN KEY ("organization_id", "employer_id") REFERENCES "employer"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_guarantor_employer_id_fkey" FOREIGN KEY ("organization_id", "guarantor_employer_id") REFERENCES "employer"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_primary_office_id_fkey" FOREIGN KEY ("organization_id", "primary_office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_primary_provider_id_fkey" FOREIGN KEY ("organization_id", "primary_provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_location_id_fkey" FOREIGN KEY ("organization_id", "location_id") REFERENCES "location"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_enterprise_id_fkey" FOREIGN KEY ("organization_id", "enterprise_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient_name_key" ADD CONSTRAINT "patient_name_key_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient_registration" ADD CONSTRAINT "patient_registration_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient_registration" ADD CONSTRAINT "patient_registration_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient_registration" ADD CONSTRAINT "patient_registration_organization_id_provider_group_id_fkey" FOREIGN KEY ("organization_id", "provider_group_id") REFERENCES "provider_group"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient_registration" ADD CONSTRAINT "patient_registration_organization_id_primary_provider_id_fkey" FOREIGN KEY ("organization_id", "primary_provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "insurance" ADD CONSTRAINT "insurance_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "balance" ADD CONSTRAINT "balance_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "balance" ADD CONSTRAINT "balance_organization_id_provider_group_id_fkey" FOREIGN KEY ("organization_id", "provider_group_id") REFERENCES "provider_group"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "balance_contract" ADD CONSTRAINT "balance_contract_organization_id_patient_id_provider_group_fkey" FOREIGN KEY ("organization_id", "patient_id", "provider_group_id") REFERENCES "balance"("organization_id", "patient_id", "provider_group_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "claim" ADD CONSTRAINT "claim_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient_custom_field" ADD CONSTRAINT "patient_custom_field_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "patient_custom_field" ADD CONSTRAINT "patient_custom_field_organization_id_custom_field_id_fkey" FOREIGN KEY ("organization_id", "custom_field_id") REFERENCES "custom_field"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "portal_account" ADD CONSTRAINT "portal_account_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "privacy_restriction" ADD CONSTRAINT "privacy_restriction_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "privacy_item" ADD CONSTRAINT "privacy_item_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_location_id_fkey" FOREIGN KEY ("organization_id", "location_id") REFERENCES "location"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_waiting_room_id_fkey" FOREIGN KEY ("organization_id", "waiting_room_id") REFERENCES "waiting_room"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_created_by_user_id_fkey" FOREIGN KEY ("organization_id", "created_by_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_appointment" ADD CONSTRAINT "user_appointment_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_appointment" ADD CONSTRAINT "user_appointment_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "appointment_reminder" ADD CONSTRAINT "appointment_reminder_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "contact" ADD CONSTRAINT "contact_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "contact_contact_tag" ADD CONSTRAINT "contact_contact_tag_organization_id_contact_id_fkey" FOREIGN KEY ("organization_id", "contact_id") REFERENCES "contact"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "contact_contact_tag" ADD CONSTRAINT "contact_contact_tag_organization_id_contact_tag_id_fkey" FOREIGN KEY ("organization_id", "contact_tag_id") REFERENCES "contact_tag"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "chat_member" ADD CONSTRAINT "chat_member_organization_id_chat_id_fkey" FOREIGN KEY ("organization_id", "chat_id") REFERENCES "chat"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "chat_member" ADD CONSTRAINT "chat_member_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "phone_number" ADD CONSTRAINT "phone_number_organization_id_chat_id_fkey" FOREIGN KEY ("organization_id", "chat_id") REFERENCES "chat"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "incoming_call" ADD CONSTRAINT "incoming_call_organization_id_phone_number_id_fkey" FOREIGN KEY ("organization_id", "phone_number_id") REFERENCES "phone_number"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "voice_pager_message" ADD CONSTRAINT "voice_pager_message_organization_id_phone_number_id_fkey" FOREIGN KEY ("organization_id", "phone_number_id") REFERENCES "phone_number"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "voice_pager_message" ADD CONSTRAINT "voice_pager_message_organization_id_attachment_id_fkey" FOREIGN KEY ("organization_id", "attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "sms_message" ADD CONSTRAINT "sms_message_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "sms_message" ADD CONSTRAINT "sms_message_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "sms_message" ADD CONSTRAINT "sms_message_organization_id_template_id_fkey" FOREIGN KEY ("organization_id", "template_id") REFERENCES "sms_template"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "mail_message" ADD CONSTRAINT "mail_message_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "check_in" ADD CONSTRAINT "check_in_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "check_in" ADD CONSTRAINT "check_in_organization_id_survey_type_id_fkey" FOREIGN KEY ("organization_id", "survey_type_id") REFERENCES "survey_type"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "check_in" ADD CONSTRAINT "check_in_organization_id_scheduled_check_in_id_fkey" FOREIGN KEY ("organization_id", "scheduled_check_in_id") REFERENCES "scheduled_check_in"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "check_in" ADD CONSTRAINT "check_in_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "check_in" ADD CONSTRAINT "check_in_organization_id_mail_message_id_fkey" FOREIGN KEY ("organization_id", "mail_message_id") REFERENCES "mail_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "reading" ADD CONSTRAINT "reading_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "reading" ADD CONSTRAINT "reading_organization_id_check_in_id_fkey" FOREIGN KEY ("organization_id", "check_in_id") REFERENCES "check_in"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "reading" ADD CONSTRAINT "reading_organization_id_item_id_fkey" FOREIGN KEY ("organization_id", "item_id") REFERENCES "item"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "scheduled_check_in_survey" ADD CONSTRAINT "scheduled_check_in_survey_organization_id_scheduled_check__fkey" FOREIGN KEY ("organization_id", "scheduled_check_in_id") REFERENCES "scheduled_check_in"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "scheduled_check_in_survey" ADD CONSTRAINT "scheduled_check_in_survey_organization_id_survey_type_id_fkey" FOREIGN KEY ("organization_id", "survey_type_id") REFERENCES "survey_type"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "scheduled_check_in_recipient" ADD CONSTRAINT "scheduled_check_in_recipient_organization_id_scheduled_che_fkey" FOREIGN KEY ("organization_id", "scheduled_check_in_id") REFERENCES "scheduled_check_in"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "scheduled_check_in_recipient" ADD CONSTRAINT "scheduled_check_in_recipient_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "external_message" ADD CONSTRAINT "external_message_organization_id_contact_id_fkey" FOREIGN KEY ("organization_id", "contact_id") REFERENCES "contact"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "external_message" ADD CONSTRAINT "external_message_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "external_message" ADD CONSTRAINT "external_message_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "external_message" ADD CONSTRAINT "external_message_organization_id_mail_message_id_fkey" FOREIGN KEY ("organization_id", "mail_message_id") REFERENCES "mail_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "external_message_attachment" ADD CONSTRAINT "external_message_attachment_organization_id_external_messa_fkey" FOREIGN KEY ("organization_id", "external_message_id") REFERENCES "external_message"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "external_message_attachment" ADD CONSTRAINT "external_message_attachment_organization_id_attachment_id_fkey" FOREIGN KEY ("organization_id", "attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "video_session" ADD CONSTRAINT "video_session_organization_id_host_user_id_fkey" FOREIGN KEY ("organization_id", "host_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "video_session" ADD CONSTRAINT "video_session_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_participant" ADD CONSTRAINT "session_participant_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_participant" ADD CONSTRAINT "session_participant_organization_id_invite_id_fkey" FOREIGN KEY ("organization_id", "invite_id") REFERENCES "session_invite"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_image" ADD CONSTRAINT "session_image_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_image" ADD CONSTRAINT "session_image_organization_id_attachment_id_fkey" FOREIGN KEY ("organization_id", "attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_image" ADD CONSTRAINT "session_image_organization_id_thumbnail_attachment_id_fkey" FOREIGN KEY ("organization_id", "thumbnail_attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_video" ADD CONSTRAINT "session_video_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_video" ADD CONSTRAINT "session_video_organization_id_attachment_id_fkey" FOREIGN KEY ("organization_id", "attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_video" ADD CONSTRAINT "session_video_organization_id_thumbnail_attachment_id_fkey" FOREIGN KEY ("organization_id", "thumbnail_attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_sms_message_id_fkey" FOREIGN KEY ("organization_id", "sms_message_id") REFERENCES "sms_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_mail_message_id_fkey" FOREIGN KEY ("organization_id", "mail_message_id") REFERENCES "mail_message"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_waiting_room_id_fkey" FOREIGN KEY ("organization_id", "waiting_room_id") REFERENCES "waiting_room"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "telehealth_visit" ADD CONSTRAINT "telehealth_visit_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "telehealth_visit" ADD CONSTRAINT "telehealth_visit_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "telehealth_visit" ADD CONSTRAINT "telehealth_visit_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "waiting_room_visit" ADD CONSTRAINT "waiting_room_visit_organization_id_waiting_room_id_fkey" FOREIGN KEY ("organization_id", "waiting_room_id") REFERENCES "waiting_room"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "waiting_room_visit" ADD CONSTRAINT "waiting_room_visit_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "waiting_room_visit" ADD CONSTRAINT "waiting_room_visit_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "waiting_room_visit" ADD CONSTRAINT "waiting_room_visit_organization_id_invite_id_fkey" FOREIGN KEY ("organization_id", "invite_id") REFERENCES "session_invite"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "waiting_room_visit" ADD CONSTRAINT "waiting_room_visit_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "user_review_url" ADD CONSTRAINT "user_review_url_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "workflow_step" ADD CONSTRAINT "workflow_step_organization_id_program_id_fkey" FOREIGN KEY ("organization_id", "program_id") REFERENCES "program"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "program_patient" ADD CONSTRAINT "program_patient_organization_id_program_id_fkey" FOREIGN KEY ("organization_id", "program_id") REFERENCES "program"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "program_patient" ADD CONSTRAINT "program_patient_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "program_patient" ADD CONSTRAINT "program_patient_organization_id_step_id_fkey" FOREIGN KEY ("organization_id", "step_id") REFERENCES "workflow_step"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "workflow_event" ADD CONSTRAINT "workflow_event_organization_id_program_patient_id_fkey" FOREIGN KEY ("organization_id", "program_patient_id") REFERENCES "program_patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "workflow_event" ADD CONSTRAINT "workflow_event_organization_id_step_id_fkey" FOREIGN KEY ("organization_id", "step_id") REFERENCES "workflow_step"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "workflow_event" ADD CONSTRAINT "workflow_event_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "tracked_condition" ADD CONSTRAINT "tracked_condition_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "tracked_condition" ADD CONSTRAINT "tracked_condition_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "tracked_condition" ADD CONSTRAINT "tracked_condition_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "tracked_condition_item" ADD CONSTRAINT "tracked_condition_item_organization_id_tracked_condition_i_fkey" FOREIGN KEY ("organization_id", "tracked_condition_id") REFERENCES "tracked_condition"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "tracked_condition_item" ADD CONSTRAINT "tracked_condition_item_organization_id_item_id_fkey" FOREIGN KEY ("organization_id", "item_id") REFERENCES "item"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "check_in_review" ADD CONSTRAINT "check_in_review_organization_id_check_in_id_fkey" FOREIGN KEY ("organization_id", "check_in_id") REFERENCES "check_in"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "check_in_review" ADD CONSTRAINT "check_in_review_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "check_in_review" ADD CONSTRAINT "check_in_review_organization_id_created_by_id_fkey" FOREIGN KEY ("organization_id", "created_by_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "check_in_review" ADD CONSTRAINT "check_in_review_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "push_subscription" ADD CONSTRAINT "push_subscription_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "push_subscription" ADD CONSTRAINT "push_subscription_organization_id_session_id_fkey" FOREIGN KEY ("organization_id", "session_id") REFERENCES "session"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "notification" ADD CONSTRAINT "notification_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "push_delivery" ADD CONSTRAINT "push_delivery_organization_id_notification_id_fkey" FOREIGN KEY ("organization_id", "notification_id") REFERENCES "notification"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "push_delivery" ADD CONSTRAINT "push_delivery_organization_id_subscription_id_fkey" FOREIGN KEY ("organization_id", "subscription_id") REFERENCES "push_subscription"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_organization_id_webhook_endpoint_id_fkey" FOREIGN KEY ("organization_id", "webhook_endpoint_id") REFERENCES "webhook_endpoint"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- ═══ 3. By hand ═══

-- ─── Practices ───

-- Every row of a practice refers to its practice. The logs and the signals of video rooms do not: each insert would lock
-- the one row of its organization, for half of the insert's cost. They are written for callers whose organization was just
-- found, the logs outlive the rows that they name, and no organization is ever deleted.
DO $$
DECLARE t text;
BEGIN
  FOR t IN SELECT table_name FROM information_schema.columns
           WHERE table_schema = current_schema() AND column_name = 'organization_id'
             AND table_name NOT IN ('audit_entry', 'event', 'session_signal') ORDER BY table_name
  LOOP
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I FOREIGN KEY (organization_id) REFERENCES organization (id)', t, t || '_organization_fkey');
  END LOOP;
END $$;

-- ─── Identity ───

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

-- ─── Patients ───

-- Monitored patients, in whichever case the flag was written.
CREATE INDEX patient_monitored_idx ON patient (organization_id, id)
  WHERE flags && '{RPM,RPm,RpM,Rpm,rPM,rPm,rpM,rpm}'::text[];

-- The keys of a folded last name: the whole name, and the rest of it after each space, hyphen or apostrophe. shared_length
-- is the greatest number of characters that a key has in common with an earlier one: "garcia-garza" matches "gar" once.
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

-- The caller holds a lock on the patient's row, so that concurrent changes (a name and a restriction, say) are serialized.
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

-- Each search reads one range of one of these, in the order of its answer, and counts without reading the table. The first
-- does not contain the office, and the last has no row without one: the planner would otherwise take one for the other.
CREATE INDEX patient_name_key_last_idx ON patient_name_key (organization_id, last_key, first_key, patient_id) INCLUDE (shared_length);
CREATE INDEX patient_name_key_first_idx ON patient_name_key (organization_id, first_key, last_key, patient_id) INCLUDE (office_id) WHERE ordinal = 1;
CREATE INDEX patient_name_key_office_idx ON patient_name_key (organization_id, office_id, last_key, first_key, patient_id) INCLUDE (shared_length) WHERE office_id IS NOT NULL;

-- ─── Scheduling ───

CREATE INDEX appointment_type_global_idx ON appointment_type (id) WHERE is_global;

-- An appointment has its instant, its end and its wall-clock time, or none of them.
ALTER TABLE appointment ADD CONSTRAINT appointment_time_check CHECK (
  num_nulls(starts_at, ends_at, local_start) IN (0, 3) AND (starts_at IS NULL OR ends_at > starts_at) AND duration_minutes > 0
);
ALTER TABLE appointment ADD CONSTRAINT appointment_type_owner_check CHECK ((type_id IS NULL) = (type_organization_id IS NULL));

-- The type is the practice's own, or a global one of another practice. The database holds the first by a foreign key, and the
-- second by triggers, since practices could be on different nodes: an appointment locks the type, so that it exists and is
-- global until the transaction ends, and a type that another practice's appointment has cannot be deleted. (Under REPEATABLE
-- READ a deletion does not see appointments that were committed after its snapshot was taken, unlike a foreign key.)
ALTER TABLE appointment ADD CONSTRAINT appointment_own_type_fkey FOREIGN KEY (organization_id, own_type_id) REFERENCES appointment_type (organization_id, id);
CREATE INDEX appointment_global_type_idx ON appointment (type_organization_id, type_id) WHERE own_type_id IS NULL AND type_id IS NOT NULL;

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
-- ranges of one user may not overlap.
CREATE FUNCTION user_appointment_times() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT a.starts_at, a.ends_at, o.double_booking = 'refuse' AND a.status NOT IN ('cancelled', 'no_show')
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

ALTER TABLE user_appointment ADD CONSTRAINT user_appointment_no_overlap
  EXCLUDE USING gist (organization_id WITH =, user_id WITH =, tstzrange(starts_at, ends_at) WITH &&) WHERE (exclusive AND starts_at IS NOT NULL);

-- The version of the records that a practice's appointments refer to, and one for the global types. A new record needs no
-- new version, since nothing can have cached it. Transactions that change references of one practice wait for one another
-- here, so that a reader of a version sees all the changes before it, and no other.
ALTER TABLE global_type_version ADD CONSTRAINT global_type_version_is_one CHECK (id = 1);

CREATE FUNCTION reference_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO reference_version (organization_id, version) VALUES (OLD.organization_id, gen_random_uuid())
  ON CONFLICT (organization_id) DO UPDATE SET version = excluded.version;
  RETURN NULL;
END $$;
CREATE FUNCTION global_type_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO global_type_version (version) VALUES (gen_random_uuid()) ON CONFLICT (id) DO UPDATE SET version = excluded.version;
  RETURN NULL;
END $$;

CREATE TRIGGER office_reference_changed AFTER UPDATE ON office FOR EACH ROW
  WHEN ((OLD.organization_id, OLD.id, OLD.name, OLD.patient_department_name, OLD.time_zone, OLD.phone, OLD.fax, OLD.active,
         OLD.address1, OLD.address2, OLD.city, OLD.state, OLD.zip)
        IS DISTINCT FROM
        (NEW.organization_id, NEW.id, NEW.name, NEW.patient_department_name, NEW.time_zone, NEW.phone, NEW.fax, NEW.active,
         NEW.address1, NEW.address2, NEW.city, NEW.state, NEW.zip))
  EXECUTE FUNCTION reference_changed();
CREATE TRIGGER location_reference_changed AFTER UPDATE ON location FOR EACH ROW
  WHEN ((OLD.organization_id, OLD.id, OLD.name, OLD.phone, OLD.address1, OLD.address2, OLD.city, OLD.state, OLD.zip)
        IS DISTINCT FROM
        (NEW.organization_id, NEW.id, NEW.name, NEW.phone, NEW.address1, NEW.address2, NEW.city, NEW.state, NEW.zip))
  EXECUTE FUNCTION reference_changed();
CREATE TRIGGER waiting_room_reference_changed AFTER UPDATE ON waiting_room FOR EACH ROW
  WHEN ((OLD.organization_id, OLD.id, OLD.name, OLD.user_id) IS DISTINCT FROM (NEW.organization_id, NEW.id, NEW.name, NEW.user_id))
  EXECUTE FUNCTION reference_changed();
-- Columns that change all day long, such as last_seen_at, are left out.
CREATE TRIGGER user_reference_changed AFTER UPDATE ON "user" FOR EACH ROW
  WHEN ((OLD.organization_id, OLD.id, OLD.type, OLD.first_name, OLD.last_name, OLD.email, OLD.phone, OLD.active)
        IS DISTINCT FROM
        (NEW.organization_id, NEW.id, NEW.type, NEW.first_name, NEW.last_name, NEW.email, NEW.phone, NEW.active))
  EXECUTE FUNCTION reference_changed();
CREATE TRIGGER appointment_type_reference_changed AFTER UPDATE ON appointment_type FOR EACH ROW
  WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION reference_changed();

CREATE TRIGGER office_reference_removed AFTER DELETE ON office FOR EACH ROW EXECUTE FUNCTION reference_changed();
CREATE TRIGGER location_reference_removed AFTER DELETE ON location FOR EACH ROW EXECUTE FUNCTION reference_changed();
CREATE TRIGGER waiting_room_reference_removed AFTER DELETE ON waiting_room FOR EACH ROW EXECUTE FUNCTION reference_changed();
CREATE TRIGGER user_reference_removed AFTER DELETE ON "user" FOR EACH ROW EXECUTE FUNCTION reference_changed();
CREATE TRIGGER appointment_type_reference_removed AFTER DELETE ON appointment_type FOR EACH ROW EXECUTE FUNCTION reference_changed();

-- Triggers run in the order of their names: every transaction takes the practice's version before the shared one.
CREATE TRIGGER appointment_type_shared_changed AFTER UPDATE ON appointment_type FOR EACH ROW
  WHEN (OLD.is_global AND OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION global_type_changed();
CREATE TRIGGER appointment_type_shared_removed AFTER DELETE ON appointment_type FOR EACH ROW
  WHEN (OLD.is_global) EXECUTE FUNCTION global_type_changed();

-- ─── Messaging ───

-- Contacts and patients draw their ids from one sequence: every listed patient is a contact, under the patient's id.
ALTER TABLE contact ALTER COLUMN id SET DEFAULT nextval('patient_id_seq'::regclass);
ALTER TABLE contact ADD CONSTRAINT contact_patient_id_check CHECK (patient_id = id);
-- An unknown number is one contact, however many texts from it arrive together.
CREATE UNIQUE INDEX contact_number_key ON contact (organization_id, phone) WHERE patient_id IS NULL;
-- In the orders of patient_name_key, so that a page of both is a merge of two ranges.
CREATE INDEX contact_last_idx ON contact (organization_id, last_key, first_key, id) WHERE patient_id IS NULL;
CREATE INDEX contact_first_idx ON contact (organization_id, first_key, last_key, id) WHERE patient_id IS NULL;
CREATE INDEX contact_unknown_idx ON contact (organization_id, id) WHERE patient_id IS NULL;
CREATE UNIQUE INDEX contact_tag_name_key ON contact_tag (organization_id, fold(name));

-- A number has one owner in the world: calls and texts to it arrive before their practice is known.
CREATE UNIQUE INDEX phone_number_held_key ON phone_number (number) WHERE released_at IS NULL;
-- Orders and releases that wait for the carrier.
CREATE INDEX phone_number_waiting_idx ON phone_number (attempts, id) WHERE state IN ('ordered', 'releasing');
-- The sandbox carrier sells a number once at a time.
CREATE UNIQUE INDEX carrier_number_sold_key ON carrier_number (number) WHERE returned_at IS NULL;
-- Texts whose delivery status the sandbox carrier has yet to send, and recordings that are to be fetched.
CREATE INDEX carrier_text_unreported_idx ON carrier_text (received_at, id) WHERE reported_at IS NULL;
CREATE INDEX voice_pager_message_recording_due_idx ON voice_pager_message (recording_due_at) WHERE recording_due_at IS NOT NULL;

-- One active template in a category.
CREATE UNIQUE INDEX sms_template_active_key ON sms_template (organization_id, category) WHERE active AND deleted_at IS NULL;

-- Messages that wait to be sent, looked for across all organizations (src/jobs/lost-jobs.ts): never many.
CREATE INDEX "sms_message_queued_idx" ON "sms_message" ("organization_id", "id") WHERE "state" = 'queued';
CREATE INDEX "mail_message_queued_idx" ON "mail_message" ("organization_id", "id") WHERE "state" = 'queued';
-- Of those, the ones with encrypted values, which a new master key encrypts anew.
CREATE INDEX sms_message_sealed_idx ON sms_message (organization_id, id) WHERE sealed IS NOT NULL;
CREATE INDEX mail_message_sealed_idx ON mail_message (organization_id, id) WHERE sealed IS NOT NULL;

-- ─── Telehealth ───

-- A link opens either a session or a waiting room.
ALTER TABLE session_invite ADD CONSTRAINT session_invite_opens_one CHECK (num_nonnulls(video_session_id, waiting_room_id) = 1);

-- A patient is in a room once at a time: at most one visit is running, and none overlaps another.
CREATE UNIQUE INDEX telehealth_visit_running_key ON telehealth_visit (organization_id, video_session_id, patient_id) WHERE ended_at IS NULL;
ALTER TABLE telehealth_visit ADD CONSTRAINT telehealth_visit_no_overlap EXCLUDE USING gist
  (organization_id WITH =, video_session_id WITH =, patient_id WITH =, tstzrange(started_at, ended_at) WITH &&);
CREATE UNIQUE INDEX waiting_room_visit_running_key ON waiting_room_visit (organization_id, waiting_room_id, patient_id) WHERE left_at IS NULL;
ALTER TABLE waiting_room_visit ADD CONSTRAINT waiting_room_visit_no_overlap EXCLUDE USING gist
  (organization_id WITH =, waiting_room_id WITH =, patient_id WITH =, tstzrange(entered_at, left_at) WITH &&);

-- Rows whose heartbeats may have stopped, and sessions that may have expired.
CREATE INDEX session_participant_present_idx ON session_participant (last_seen_at) WHERE left_at IS NULL;
CREATE INDEX waiting_room_visit_present_idx ON waiting_room_visit (last_seen_at) WHERE left_at IS NULL;
CREATE INDEX video_session_open_idx ON video_session (expires_at) WHERE ended_at IS NULL;

-- ─── Monitoring ───

-- One open enrolment of a patient in a program.
CREATE UNIQUE INDEX program_patient_open_key ON program_patient (organization_id, program_id, patient_id) WHERE removed_at IS NULL;
-- A program or an item that was ended frees its name.
CREATE UNIQUE INDEX program_name_key ON program (organization_id, fold(name)) WHERE active;
CREATE UNIQUE INDEX item_name_key ON item (organization_id, fold(name)) WHERE active;

-- A condition may have a code of the app's lexicon alone; each of its items has one current target.
ALTER TABLE tracked_condition ADD CONSTRAINT tracked_condition_code_check CHECK (num_nonnulls(icd_code, icd_lex_code) > 0);
CREATE UNIQUE INDEX tracked_condition_item_now_key ON tracked_condition_item (organization_id, tracked_condition_id, item_id) WHERE until IS NULL;

-- Answered check-ins without a review. Lists show them for each patient, so the time must not grow with the history.
CREATE INDEX check_in_open_idx ON check_in (organization_id, patient_id, answered_at) WHERE answered_at IS NOT NULL AND NOT reviewed;

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

-- One pair of keys.
ALTER TABLE push_key ADD CONSTRAINT push_key_is_one CHECK (id = 1);
-- Notifications that a job still has to push: few.
CREATE INDEX notification_unsettled_idx ON notification (created_at) WHERE settled_at IS NULL;

-- ─── Audit ───

-- Only charts are looked up by id: an index entry for each record of each list would cost as much as the rest of the audit.
CREATE INDEX audit_entry_patient_idx ON audit_entry USING gin (resource_ids) WHERE resource = 'patient';
CREATE INDEX audit_entry_patient_ids_idx ON audit_entry USING gin (patient_ids) WHERE patient_ids IS NOT NULL;

-- The logs and the audit's seals are append-only.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_link_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_link FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- ═══ 4. The job queue ═══

-- The tables and functions that pg-boss 12.35 (its schema 43) installs, under our migrations, so that no process changes the
-- schema while others work (src/jobs/queue.ts). An upgrade of pg-boss with a newer schema needs a migration with the output
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
