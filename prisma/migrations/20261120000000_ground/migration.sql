-- Made from schema.prisma by `npm run db:migration`; the first and the last part by hand.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- What searches compare: lower case, without accents. unaccent() alone counts as changeable, because its dictionary could
-- be replaced; naming the dictionary makes it immutable in fact, and this function says so.
CREATE FUNCTION fold(value text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN lower(unaccent('unaccent'::regdictionary, value));

-- The order of the logs. Transaction ids start low again when a database is restored into a new cluster; the offset is
-- raised then (src/migrations.ts), so that what is written next still comes after all that stands.
CREATE TABLE "log_epoch" (
    "id" BOOLEAN NOT NULL DEFAULT true,
    "transaction_offset" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "log_epoch_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "log_epoch_one_row" CHECK ("id")
);
INSERT INTO log_epoch DEFAULT VALUES;

-- Where the running transaction stands in the order of the logs.
CREATE FUNCTION log_transaction() RETURNS bigint LANGUAGE sql VOLATILE
  RETURN (pg_current_xact_id()::text)::bigint + (SELECT transaction_offset FROM log_epoch);

-- Below this nothing can be added any more: every transaction there has ended. Readers of the logs stay below it.
CREATE FUNCTION log_horizon() RETURNS bigint LANGUAGE sql STABLE
  RETURN (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint + (SELECT transaction_offset FROM log_epoch);

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
    "first_name_folded" TEXT COLLATE "C" GENERATED ALWAYS AS (fold("first_name")) STORED,
    "last_name_folded" TEXT COLLATE "C" GENERATED ALWAYS AS (fold("last_name")) STORED,
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
    "id" SERIAL NOT NULL,
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
CREATE TABLE "contact" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "patient_id" INTEGER,
    "first_name" TEXT,
    "last_name" TEXT,
    "phone" TEXT,
    "email" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

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
    "id" SERIAL NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "contact_tag_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contact_contact_tag_pkey" PRIMARY KEY ("organization_id","id")
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
CREATE TABLE "appointment" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "patient_id" INTEGER,
    "type_organization_id" INTEGER,
    "type_id" INTEGER,
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
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "appointment_id" INTEGER NOT NULL,
    "starts_at" TIMESTAMPTZ(3),
    "ends_at" TIMESTAMPTZ(3),
    "exclusive" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_appointment_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "appointment_reminder" (
    "organization_id" INTEGER NOT NULL,
    "appointment_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "appointment_reminder_pkey" PRIMARY KEY ("organization_id","appointment_id","kind")
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
    "carrier" TEXT,
    "carrier_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "released_at" TIMESTAMPTZ(3),

    CONSTRAINT "phone_number_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "incoming_call" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
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
    "id" SERIAL NOT NULL,
    "phone_number_id" INTEGER NOT NULL,
    "carrier_id" TEXT NOT NULL,
    "from_number" TEXT NOT NULL,
    "transcript" TEXT,
    "duration_seconds" INTEGER,
    "attachment_id" INTEGER,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "voice_pager_message_pkey" PRIMARY KEY ("organization_id","id")
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
    "id" SERIAL NOT NULL,
    "direction" "message_direction" NOT NULL,
    "patient_id" INTEGER,
    "appointment_id" INTEGER,
    "template_id" INTEGER,
    "review_user_id" INTEGER,
    "from_number" TEXT,
    "to_number" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "state" "message_state" NOT NULL,
    "reason" TEXT,
    "carrier_id" TEXT,
    "not_before" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sms_message_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "mail_message" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "patient_id" INTEGER,
    "to_address" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "state" "message_state" NOT NULL,
    "reason" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mail_message_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "opt_out" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
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
    "id" SERIAL NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "survey_type_id" INTEGER,
    "scheduled_check_in_id" INTEGER,
    "occurrence_on" DATE,
    "channel" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "link_hash" BYTEA NOT NULL,
    "sent_by_user_id" INTEGER,
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "answered_at" TIMESTAMPTZ(3),
    "answers" JSONB,

    CONSTRAINT "check_in_pkey" PRIMARY KEY ("organization_id","id")
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
CREATE TABLE "attachment" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
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
CREATE TABLE "external_message" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "contact_id" INTEGER,
    "patient_id" INTEGER,
    "sent_to" TEXT NOT NULL,
    "receiver_first_name" TEXT,
    "receiver_last_name" TEXT,
    "subject" TEXT,
    "message" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "extra_auth" BOOLEAN NOT NULL DEFAULT false,
    "display_credentials" BOOLEAN NOT NULL DEFAULT false,
    "link_hash" BYTEA NOT NULL,
    "code_hash" BYTEA,
    "wrong_codes" INTEGER NOT NULL DEFAULT 0,
    "total_views" INTEGER NOT NULL DEFAULT 0,
    "total_downloads" INTEGER NOT NULL DEFAULT 0,
    "created_by_user_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "external_message_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "external_message_attachment" (
    "organization_id" INTEGER NOT NULL,
    "external_message_id" INTEGER NOT NULL,
    "attachment_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "external_message_attachment_pkey" PRIMARY KEY ("organization_id","external_message_id","attachment_id")
);

-- CreateTable
CREATE TABLE "video_session" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "guid" UUID NOT NULL,
    "host_user_id" INTEGER NOT NULL,
    "appointment_id" INTEGER,
    "kind" TEXT NOT NULL DEFAULT 'telehealth',
    "provider" TEXT NOT NULL DEFAULT 'mesh',
    "host_link_hash" BYTEA NOT NULL,
    "guest_link_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "video_session_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "session_participant" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "video_session_id" INTEGER NOT NULL,
    "role" TEXT NOT NULL,
    "user_id" INTEGER,
    "patient_id" INTEGER,
    "display_name" TEXT,
    "waiting_since" TIMESTAMPTZ(3),
    "admitted_at" TIMESTAMPTZ(3),
    "joined_at" TIMESTAMPTZ(3),
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "left_at" TIMESTAMPTZ(3),

    CONSTRAINT "session_participant_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "session_image" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "video_session_id" INTEGER NOT NULL,
    "attachment_id" INTEGER NOT NULL,
    "thumbnail_attachment_id" INTEGER,
    "title" TEXT,
    "taken_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_image_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "session_video" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "video_session_id" INTEGER NOT NULL,
    "attachment_id" INTEGER NOT NULL,
    "thumbnail_attachment_id" INTEGER,
    "title" TEXT,
    "duration_seconds" INTEGER,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_video_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "session_invite" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "video_session_id" INTEGER NOT NULL,
    "patient_id" INTEGER,
    "channel" TEXT NOT NULL,
    "sent_to" TEXT NOT NULL,
    "link_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "withdrawn_at" TIMESTAMPTZ(3),

    CONSTRAINT "session_invite_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "telehealth_visit" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "video_session_id" INTEGER NOT NULL,
    "patient_id" INTEGER,
    "appointment_id" INTEGER,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "telehealth_visit_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "waiting_room_visit" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "waiting_room_id" INTEGER NOT NULL,
    "patient_id" INTEGER NOT NULL,
    "appointment_id" INTEGER,
    "entered_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "admitted_at" TIMESTAMPTZ(3),
    "left_at" TIMESTAMPTZ(3),

    CONSTRAINT "waiting_room_visit_pkey" PRIMARY KEY ("organization_id","id")
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
    "id" SERIAL NOT NULL,
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
    "id" SERIAL NOT NULL,
    "program_patient_id" INTEGER NOT NULL,
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
    "icd_code" TEXT NOT NULL,
    "icd_lex_code" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "tracked_condition_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "tracked_condition_item" (
    "organization_id" INTEGER NOT NULL,
    "tracked_condition_id" INTEGER NOT NULL,
    "item_id" INTEGER NOT NULL,
    "min_target" DECIMAL(12,3),
    "max_target" DECIMAL(12,3),

    CONSTRAINT "tracked_condition_item_pkey" PRIMARY KEY ("organization_id","tracked_condition_id","item_id")
);

-- CreateTable
CREATE TABLE "check_in_review" (
    "organization_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "check_in_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
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
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "endpoint_hash" BYTEA NOT NULL,
    "subscription" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "push_subscription_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "event" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "transaction_id" BIGINT NOT NULL DEFAULT log_transaction(),
    "name" TEXT NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "changed" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "actor" TEXT NOT NULL,
    "request_id" TEXT,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pkey" PRIMARY KEY ("organization_id","id")
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
    "resource_ids" INTEGER[],
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
    "id" SERIAL NOT NULL,
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
CREATE INDEX "patient_flags_idx" ON "patient" USING GIN ("flags");

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

-- CreateIndex
CREATE INDEX "contact_organization_id_phone_idx" ON "contact"("organization_id", "phone");

-- CreateIndex
CREATE UNIQUE INDEX "contact_organization_id_patient_id_key" ON "contact"("organization_id", "patient_id");

-- CreateIndex
CREATE UNIQUE INDEX "contact_tag_organization_id_name_key" ON "contact_tag"("organization_id", "name");

-- CreateIndex
CREATE INDEX "contact_contact_tag_organization_id_contact_tag_id_idx" ON "contact_contact_tag"("organization_id", "contact_tag_id");

-- CreateIndex
CREATE UNIQUE INDEX "contact_contact_tag_organization_id_contact_id_contact_tag__key" ON "contact_contact_tag"("organization_id", "contact_id", "contact_tag_id");

-- CreateIndex
CREATE INDEX "appointment_organization_id_starts_at_id_idx" ON "appointment"("organization_id", "starts_at", "id");

-- CreateIndex
CREATE INDEX "appointment_organization_id_office_id_starts_at_id_idx" ON "appointment"("organization_id", "office_id", "starts_at", "id");

-- CreateIndex
CREATE INDEX "appointment_organization_id_patient_id_starts_at_idx" ON "appointment"("organization_id", "patient_id", "starts_at");

-- CreateIndex
CREATE INDEX "appointment_organization_id_provider_id_starts_at_idx" ON "appointment"("organization_id", "provider_id", "starts_at");

-- CreateIndex
CREATE INDEX "appointment_type_organization_id_type_id_idx" ON "appointment"("type_organization_id", "type_id");

-- CreateIndex
CREATE INDEX "appointment_organization_id_location_id_idx" ON "appointment"("organization_id", "location_id");

-- CreateIndex
CREATE INDEX "appointment_organization_id_waiting_room_id_idx" ON "appointment"("organization_id", "waiting_room_id");

-- CreateIndex
CREATE INDEX "appointment_organization_id_created_by_user_id_idx" ON "appointment"("organization_id", "created_by_user_id");

-- CreateIndex
CREATE INDEX "user_appointment_organization_id_user_id_starts_at_idx" ON "user_appointment"("organization_id", "user_id", "starts_at");

-- CreateIndex
CREATE UNIQUE INDEX "user_appointment_organization_id_appointment_id_user_id_key" ON "user_appointment"("organization_id", "appointment_id", "user_id");

-- CreateIndex
CREATE INDEX "appointment_reminder_due_at_idx" ON "appointment_reminder"("due_at");

-- CreateIndex
CREATE INDEX "chat_member_organization_id_user_id_idx" ON "chat_member"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "phone_number_organization_id_chat_id_idx" ON "phone_number"("organization_id", "chat_id");

-- CreateIndex
CREATE INDEX "phone_number_number_idx" ON "phone_number"("number");

-- CreateIndex
CREATE INDEX "incoming_call_organization_id_started_at_id_idx" ON "incoming_call"("organization_id", "started_at", "id");

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
CREATE INDEX "sms_message_organization_id_state_idx" ON "sms_message"("organization_id", "state");

-- CreateIndex
CREATE UNIQUE INDEX "sms_message_organization_id_carrier_id_key" ON "sms_message"("organization_id", "carrier_id");

-- CreateIndex
CREATE INDEX "mail_message_organization_id_patient_id_queued_at_idx" ON "mail_message"("organization_id", "patient_id", "queued_at");

-- CreateIndex
CREATE INDEX "opt_out_organization_id_number_recorded_at_idx" ON "opt_out"("organization_id", "number", "recorded_at");

-- CreateIndex
CREATE INDEX "check_in_organization_id_patient_id_sent_at_idx" ON "check_in"("organization_id", "patient_id", "sent_at");

-- CreateIndex
CREATE INDEX "check_in_organization_id_answered_at_idx" ON "check_in"("organization_id", "answered_at");

-- CreateIndex
CREATE INDEX "check_in_organization_id_survey_type_id_idx" ON "check_in"("organization_id", "survey_type_id");

-- CreateIndex
CREATE UNIQUE INDEX "check_in_organization_id_link_hash_key" ON "check_in"("organization_id", "link_hash");

-- CreateIndex
CREATE UNIQUE INDEX "check_in_organization_id_scheduled_check_in_id_patient_id_s_key" ON "check_in"("organization_id", "scheduled_check_in_id", "patient_id", "survey_type_id", "occurrence_on");

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
CREATE UNIQUE INDEX "external_message_organization_id_link_hash_key" ON "external_message"("organization_id", "link_hash");

-- CreateIndex
CREATE INDEX "external_message_attachment_organization_id_attachment_id_idx" ON "external_message_attachment"("organization_id", "attachment_id");

-- CreateIndex
CREATE INDEX "video_session_organization_id_host_user_id_created_at_idx" ON "video_session"("organization_id", "host_user_id", "created_at");

-- CreateIndex
CREATE INDEX "video_session_organization_id_appointment_id_idx" ON "video_session"("organization_id", "appointment_id");

-- CreateIndex
CREATE INDEX "video_session_organization_id_created_at_id_idx" ON "video_session"("organization_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "video_session_organization_id_guid_key" ON "video_session"("organization_id", "guid");

-- CreateIndex
CREATE INDEX "session_participant_organization_id_video_session_id_idx" ON "session_participant"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "session_image_organization_id_video_session_id_idx" ON "session_image"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "session_image_organization_id_attachment_id_idx" ON "session_image"("organization_id", "attachment_id");

-- CreateIndex
CREATE INDEX "session_image_organization_id_thumbnail_attachment_id_idx" ON "session_image"("organization_id", "thumbnail_attachment_id");

-- CreateIndex
CREATE INDEX "session_video_organization_id_video_session_id_idx" ON "session_video"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "session_video_organization_id_attachment_id_idx" ON "session_video"("organization_id", "attachment_id");

-- CreateIndex
CREATE INDEX "session_video_organization_id_thumbnail_attachment_id_idx" ON "session_video"("organization_id", "thumbnail_attachment_id");

-- CreateIndex
CREATE INDEX "session_invite_organization_id_video_session_id_idx" ON "session_invite"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "session_invite_organization_id_patient_id_idx" ON "session_invite"("organization_id", "patient_id");

-- CreateIndex
CREATE UNIQUE INDEX "session_invite_organization_id_link_hash_key" ON "session_invite"("organization_id", "link_hash");

-- CreateIndex
CREATE INDEX "telehealth_visit_organization_id_patient_id_started_at_idx" ON "telehealth_visit"("organization_id", "patient_id", "started_at");

-- CreateIndex
CREATE INDEX "telehealth_visit_organization_id_video_session_id_idx" ON "telehealth_visit"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "telehealth_visit_organization_id_appointment_id_idx" ON "telehealth_visit"("organization_id", "appointment_id");

-- CreateIndex
CREATE INDEX "waiting_room_visit_organization_id_patient_id_entered_at_idx" ON "waiting_room_visit"("organization_id", "patient_id", "entered_at");

-- CreateIndex
CREATE INDEX "waiting_room_visit_organization_id_waiting_room_id_idx" ON "waiting_room_visit"("organization_id", "waiting_room_id");

-- CreateIndex
CREATE INDEX "waiting_room_visit_organization_id_appointment_id_idx" ON "waiting_room_visit"("organization_id", "appointment_id");

-- CreateIndex
CREATE INDEX "user_review_url_organization_id_user_id_idx" ON "user_review_url"("organization_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "program_organization_id_name_key" ON "program"("organization_id", "name");

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
CREATE UNIQUE INDEX "item_organization_id_name_key" ON "item"("organization_id", "name");

-- CreateIndex
CREATE INDEX "tracked_condition_organization_id_patient_id_idx" ON "tracked_condition"("organization_id", "patient_id");

-- CreateIndex
CREATE INDEX "tracked_condition_organization_id_provider_id_idx" ON "tracked_condition"("organization_id", "provider_id");

-- CreateIndex
CREATE INDEX "tracked_condition_organization_id_user_id_idx" ON "tracked_condition"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "tracked_condition_item_organization_id_item_id_idx" ON "tracked_condition_item"("organization_id", "item_id");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_patient_id_started_at_idx" ON "check_in_review"("organization_id", "patient_id", "started_at");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_check_in_id_idx" ON "check_in_review"("organization_id", "check_in_id");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_user_id_idx" ON "check_in_review"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "check_in_review_organization_id_created_at_idx" ON "check_in_review"("organization_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "push_subscription_organization_id_user_id_endpoint_hash_key" ON "push_subscription"("organization_id", "user_id", "endpoint_hash");

-- CreateIndex
CREATE INDEX "event_transaction_id_id_idx" ON "event"("transaction_id", "id");

-- CreateIndex
CREATE INDEX "event_organization_id_transaction_id_id_idx" ON "event"("organization_id", "transaction_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_organization_id_transaction_id_id_idx" ON "audit_entry"("organization_id", "transaction_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_resource_ids_idx" ON "audit_entry" USING GIN ("resource_ids");

-- CreateIndex
CREATE UNIQUE INDEX "audit_link_organization_id_audit_entry_id_key" ON "audit_link"("organization_id", "audit_entry_id");

-- CreateIndex
CREATE INDEX "idempotency_record_expires_at_idx" ON "idempotency_record"("expires_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_next_attempt_at_idx" ON "webhook_delivery"("next_attempt_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_organization_id_webhook_endpoint_id_event__key" ON "webhook_delivery"("organization_id", "webhook_endpoint_id", "event_id");

-- AddForeignKey
ALTER TABLE "office" ADD CONSTRAINT "office_organization_id_provider_group_id_fkey" FOREIGN KEY ("organization_id", "provider_group_id") REFERENCES "provider_group"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "location" ADD CONSTRAINT "location_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "waiting_room" ADD CONSTRAINT "waiting_room_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "waiting_room" ADD CONSTRAINT "waiting_room_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "provider" ADD CONSTRAINT "provider_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "provider" ADD CONSTRAINT "provider_organization_id_supervising_provider_id_fkey" FOREIGN KEY ("organization_id", "supervising_provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "provider" ADD CONSTRAINT "provider_organization_id_home_office_id_fkey" FOREIGN KEY ("organization_id", "home_office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "provider_office" ADD CONSTRAINT "provider_office_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "provider_office" ADD CONSTRAINT "provider_office_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sign_in" ADD CONSTRAINT "sign_in_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refresh_token" ADD CONSTRAINT "refresh_token_organization_id_session_id_fkey" FOREIGN KEY ("organization_id", "session_id") REFERENCES "session"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_client_grant" ADD CONSTRAINT "api_client_grant_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "api_client"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_client_grant" ADD CONSTRAINT "api_client_grant_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_employer_id_fkey" FOREIGN KEY ("organization_id", "employer_id") REFERENCES "employer"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_guarantor_employer_id_fkey" FOREIGN KEY ("organization_id", "guarantor_employer_id") REFERENCES "employer"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_primary_office_id_fkey" FOREIGN KEY ("organization_id", "primary_office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_primary_provider_id_fkey" FOREIGN KEY ("organization_id", "primary_provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_location_id_fkey" FOREIGN KEY ("organization_id", "location_id") REFERENCES "location"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_organization_id_enterprise_id_fkey" FOREIGN KEY ("organization_id", "enterprise_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_registration" ADD CONSTRAINT "patient_registration_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_registration" ADD CONSTRAINT "patient_registration_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_registration" ADD CONSTRAINT "patient_registration_organization_id_provider_group_id_fkey" FOREIGN KEY ("organization_id", "provider_group_id") REFERENCES "provider_group"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_registration" ADD CONSTRAINT "patient_registration_organization_id_primary_provider_id_fkey" FOREIGN KEY ("organization_id", "primary_provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "insurance" ADD CONSTRAINT "insurance_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "balance" ADD CONSTRAINT "balance_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "balance" ADD CONSTRAINT "balance_organization_id_provider_group_id_fkey" FOREIGN KEY ("organization_id", "provider_group_id") REFERENCES "provider_group"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "balance_contract" ADD CONSTRAINT "balance_contract_organization_id_patient_id_provider_group_fkey" FOREIGN KEY ("organization_id", "patient_id", "provider_group_id") REFERENCES "balance"("organization_id", "patient_id", "provider_group_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "claim" ADD CONSTRAINT "claim_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_custom_field" ADD CONSTRAINT "patient_custom_field_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_custom_field" ADD CONSTRAINT "patient_custom_field_organization_id_custom_field_id_fkey" FOREIGN KEY ("organization_id", "custom_field_id") REFERENCES "custom_field"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "portal_account" ADD CONSTRAINT "portal_account_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "privacy_restriction" ADD CONSTRAINT "privacy_restriction_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "privacy_item" ADD CONSTRAINT "privacy_item_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact" ADD CONSTRAINT "contact_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_contact_tag" ADD CONSTRAINT "contact_contact_tag_organization_id_contact_id_fkey" FOREIGN KEY ("organization_id", "contact_id") REFERENCES "contact"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_contact_tag" ADD CONSTRAINT "contact_contact_tag_organization_id_contact_tag_id_fkey" FOREIGN KEY ("organization_id", "contact_tag_id") REFERENCES "contact_tag"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_type_organization_id_type_id_fkey" FOREIGN KEY ("type_organization_id", "type_id") REFERENCES "appointment_type"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_office_id_fkey" FOREIGN KEY ("organization_id", "office_id") REFERENCES "office"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_location_id_fkey" FOREIGN KEY ("organization_id", "location_id") REFERENCES "location"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_waiting_room_id_fkey" FOREIGN KEY ("organization_id", "waiting_room_id") REFERENCES "waiting_room"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appointment" ADD CONSTRAINT "appointment_organization_id_created_by_user_id_fkey" FOREIGN KEY ("organization_id", "created_by_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_appointment" ADD CONSTRAINT "user_appointment_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_appointment" ADD CONSTRAINT "user_appointment_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appointment_reminder" ADD CONSTRAINT "appointment_reminder_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_member" ADD CONSTRAINT "chat_member_organization_id_chat_id_fkey" FOREIGN KEY ("organization_id", "chat_id") REFERENCES "chat"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_member" ADD CONSTRAINT "chat_member_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "phone_number" ADD CONSTRAINT "phone_number_organization_id_chat_id_fkey" FOREIGN KEY ("organization_id", "chat_id") REFERENCES "chat"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "incoming_call" ADD CONSTRAINT "incoming_call_organization_id_phone_number_id_fkey" FOREIGN KEY ("organization_id", "phone_number_id") REFERENCES "phone_number"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "voice_pager_message" ADD CONSTRAINT "voice_pager_message_organization_id_phone_number_id_fkey" FOREIGN KEY ("organization_id", "phone_number_id") REFERENCES "phone_number"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "voice_pager_message" ADD CONSTRAINT "voice_pager_message_organization_id_attachment_id_fkey" FOREIGN KEY ("organization_id", "attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sms_message" ADD CONSTRAINT "sms_message_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sms_message" ADD CONSTRAINT "sms_message_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sms_message" ADD CONSTRAINT "sms_message_organization_id_template_id_fkey" FOREIGN KEY ("organization_id", "template_id") REFERENCES "sms_template"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mail_message" ADD CONSTRAINT "mail_message_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "check_in" ADD CONSTRAINT "check_in_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "check_in" ADD CONSTRAINT "check_in_organization_id_survey_type_id_fkey" FOREIGN KEY ("organization_id", "survey_type_id") REFERENCES "survey_type"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "check_in" ADD CONSTRAINT "check_in_organization_id_scheduled_check_in_id_fkey" FOREIGN KEY ("organization_id", "scheduled_check_in_id") REFERENCES "scheduled_check_in"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scheduled_check_in_survey" ADD CONSTRAINT "scheduled_check_in_survey_organization_id_scheduled_check__fkey" FOREIGN KEY ("organization_id", "scheduled_check_in_id") REFERENCES "scheduled_check_in"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scheduled_check_in_survey" ADD CONSTRAINT "scheduled_check_in_survey_organization_id_survey_type_id_fkey" FOREIGN KEY ("organization_id", "survey_type_id") REFERENCES "survey_type"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scheduled_check_in_recipient" ADD CONSTRAINT "scheduled_check_in_recipient_organization_id_scheduled_che_fkey" FOREIGN KEY ("organization_id", "scheduled_check_in_id") REFERENCES "scheduled_check_in"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scheduled_check_in_recipient" ADD CONSTRAINT "scheduled_check_in_recipient_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "external_message" ADD CONSTRAINT "external_message_organization_id_contact_id_fkey" FOREIGN KEY ("organization_id", "contact_id") REFERENCES "contact"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "external_message" ADD CONSTRAINT "external_message_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "external_message_attachment" ADD CONSTRAINT "external_message_attachment_organization_id_external_messa_fkey" FOREIGN KEY ("organization_id", "external_message_id") REFERENCES "external_message"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "external_message_attachment" ADD CONSTRAINT "external_message_attachment_organization_id_attachment_id_fkey" FOREIGN KEY ("organization_id", "attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "video_session" ADD CONSTRAINT "video_session_organization_id_host_user_id_fkey" FOREIGN KEY ("organization_id", "host_user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "video_session" ADD CONSTRAINT "video_session_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_participant" ADD CONSTRAINT "session_participant_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_image" ADD CONSTRAINT "session_image_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_image" ADD CONSTRAINT "session_image_organization_id_attachment_id_fkey" FOREIGN KEY ("organization_id", "attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_image" ADD CONSTRAINT "session_image_organization_id_thumbnail_attachment_id_fkey" FOREIGN KEY ("organization_id", "thumbnail_attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_video" ADD CONSTRAINT "session_video_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_video" ADD CONSTRAINT "session_video_organization_id_attachment_id_fkey" FOREIGN KEY ("organization_id", "attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_video" ADD CONSTRAINT "session_video_organization_id_thumbnail_attachment_id_fkey" FOREIGN KEY ("organization_id", "thumbnail_attachment_id") REFERENCES "attachment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_invite" ADD CONSTRAINT "session_invite_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "telehealth_visit" ADD CONSTRAINT "telehealth_visit_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "telehealth_visit" ADD CONSTRAINT "telehealth_visit_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "telehealth_visit" ADD CONSTRAINT "telehealth_visit_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "waiting_room_visit" ADD CONSTRAINT "waiting_room_visit_organization_id_waiting_room_id_fkey" FOREIGN KEY ("organization_id", "waiting_room_id") REFERENCES "waiting_room"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "waiting_room_visit" ADD CONSTRAINT "waiting_room_visit_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "waiting_room_visit" ADD CONSTRAINT "waiting_room_visit_organization_id_appointment_id_fkey" FOREIGN KEY ("organization_id", "appointment_id") REFERENCES "appointment"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_review_url" ADD CONSTRAINT "user_review_url_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_step" ADD CONSTRAINT "workflow_step_organization_id_program_id_fkey" FOREIGN KEY ("organization_id", "program_id") REFERENCES "program"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "program_patient" ADD CONSTRAINT "program_patient_organization_id_program_id_fkey" FOREIGN KEY ("organization_id", "program_id") REFERENCES "program"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "program_patient" ADD CONSTRAINT "program_patient_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "program_patient" ADD CONSTRAINT "program_patient_organization_id_step_id_fkey" FOREIGN KEY ("organization_id", "step_id") REFERENCES "workflow_step"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_event" ADD CONSTRAINT "workflow_event_organization_id_program_patient_id_fkey" FOREIGN KEY ("organization_id", "program_patient_id") REFERENCES "program_patient"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_event" ADD CONSTRAINT "workflow_event_organization_id_step_id_fkey" FOREIGN KEY ("organization_id", "step_id") REFERENCES "workflow_step"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_event" ADD CONSTRAINT "workflow_event_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tracked_condition" ADD CONSTRAINT "tracked_condition_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tracked_condition" ADD CONSTRAINT "tracked_condition_organization_id_provider_id_fkey" FOREIGN KEY ("organization_id", "provider_id") REFERENCES "provider"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tracked_condition" ADD CONSTRAINT "tracked_condition_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tracked_condition_item" ADD CONSTRAINT "tracked_condition_item_organization_id_tracked_condition_i_fkey" FOREIGN KEY ("organization_id", "tracked_condition_id") REFERENCES "tracked_condition"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tracked_condition_item" ADD CONSTRAINT "tracked_condition_item_organization_id_item_id_fkey" FOREIGN KEY ("organization_id", "item_id") REFERENCES "item"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "check_in_review" ADD CONSTRAINT "check_in_review_organization_id_check_in_id_fkey" FOREIGN KEY ("organization_id", "check_in_id") REFERENCES "check_in"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "check_in_review" ADD CONSTRAINT "check_in_review_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "check_in_review" ADD CONSTRAINT "check_in_review_organization_id_patient_id_fkey" FOREIGN KEY ("organization_id", "patient_id") REFERENCES "patient"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_subscription" ADD CONSTRAINT "push_subscription_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_organization_id_webhook_endpoint_id_fkey" FOREIGN KEY ("organization_id", "webhook_endpoint_id") REFERENCES "webhook_endpoint"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand from here.

-- Every row of a practice hangs on its practice.
DO $$
DECLARE t text;
BEGIN
  FOR t IN SELECT table_name FROM information_schema.columns
           WHERE table_schema = current_schema() AND column_name = 'organization_id' ORDER BY table_name
  LOOP
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I FOREIGN KEY (organization_id) REFERENCES organization (id)', t, t || '_organization_fkey');
  END LOOP;
END $$;

-- Searches by name: a prefix is a range on the folded column, a part of it a trigram match.
CREATE INDEX patient_last_name_idx ON patient (organization_id, last_name_folded, first_name_folded, id);
CREATE INDEX patient_first_name_idx ON patient (organization_id, first_name_folded, id);
CREATE INDEX patient_last_name_trgm_idx ON patient USING gin (last_name_folded gin_trgm_ops);

-- One at a time.
CREATE UNIQUE INDEX sms_template_active_key ON sms_template (organization_id, category) WHERE active AND deleted_at IS NULL;
CREATE UNIQUE INDEX program_patient_open_key ON program_patient (organization_id, program_id, patient_id) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX phone_number_owned_key ON phone_number (organization_id, number) WHERE released_at IS NULL;
CREATE INDEX appointment_type_global_idx ON appointment_type (id) WHERE is_global;

-- An appointment has its instant, its end and its wall clock, or none of them.
ALTER TABLE appointment ADD CONSTRAINT appointment_time_check CHECK (
  num_nulls(starts_at, ends_at, local_start) IN (0, 3) AND (starts_at IS NULL OR ends_at > starts_at) AND duration_minutes > 0
);
ALTER TABLE appointment ADD CONSTRAINT appointment_type_owner_check CHECK ((type_id IS NULL) = (type_organization_id IS NULL));

-- A type is the practice's own, or a global one of another.
CREATE FUNCTION appointment_type_is_visible() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.type_organization_id IS DISTINCT FROM NEW.organization_id AND NEW.type_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM appointment_type t WHERE t.organization_id = NEW.type_organization_id AND t.id = NEW.type_id AND t.is_global
  ) THEN
    RAISE EXCEPTION 'this appointment type belongs to another organization' USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER appointment_type_is_visible BEFORE INSERT OR UPDATE OF type_id, type_organization_id ON appointment
  FOR EACH ROW EXECUTE FUNCTION appointment_type_is_visible();

-- Double booking: the times of an appointment stand beside each of its users, and where the practice refuses double
-- booking, two ranges of one user may not overlap.
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

-- The log, the audit and its seals are only ever added to.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_link_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_link FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
