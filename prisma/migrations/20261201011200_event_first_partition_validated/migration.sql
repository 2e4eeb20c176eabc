-- Nothing is left to do, unless the first partition was widened.
ALTER TABLE "event" VALIDATE CONSTRAINT "event_first_partition";
