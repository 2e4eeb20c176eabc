-- DropTable
DROP TABLE "unplaced_column";
