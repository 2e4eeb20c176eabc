-- AlterTable
ALTER TABLE "item" ADD COLUMN     "danger_max" DECIMAL(12,3),
ADD COLUMN     "danger_min" DECIMAL(12,3);

-- AlterTable
ALTER TABLE "tracked_condition_item" ADD COLUMN     "danger_max" DECIMAL(12,3),
ADD COLUMN     "danger_min" DECIMAL(12,3);
