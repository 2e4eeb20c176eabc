-- AlterTable
ALTER TABLE "retention_policy" ADD COLUMN     "chart_years" INTEGER NOT NULL DEFAULT 10,
ADD COLUMN     "erasure" BOOLEAN NOT NULL DEFAULT false;

-- By hand.
ALTER TABLE "retention_policy" ADD CONSTRAINT "retention_policy_chart_years_check" CHECK (chart_years BETWEEN 1 AND 100);
