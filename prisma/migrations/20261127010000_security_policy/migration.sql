-- CreateEnum
CREATE TYPE "SecondFactorPolicy" AS ENUM ('optional', 'required_for_admins', 'required');

-- CreateTable
CREATE TABLE "security_policy" (
    "organization_id" INTEGER NOT NULL,
    "second_factor" "SecondFactorPolicy" NOT NULL DEFAULT 'optional',
    "password_sign_in" BOOLEAN NOT NULL DEFAULT true,
    "session_life_hours" INTEGER NOT NULL DEFAULT 720,
    "session_idle_minutes" INTEGER,
    "client_secret_days" INTEGER,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "security_policy_pkey" PRIMARY KEY ("organization_id")
);

-- By hand.
ALTER TABLE "security_policy" ADD CONSTRAINT "security_policy_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "security_policy" ADD CONSTRAINT "security_policy_session_life_hours_check" CHECK (session_life_hours BETWEEN 12 AND 2160);
ALTER TABLE "security_policy" ADD CONSTRAINT "security_policy_session_idle_minutes_check" CHECK (session_idle_minutes BETWEEN 5 AND 43200);
ALTER TABLE "security_policy" ADD CONSTRAINT "security_policy_client_secret_days_check" CHECK (client_secret_days BETWEEN 1 AND 730);
