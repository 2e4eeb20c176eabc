-- Who has a telephone number now. That a number has one owner in the world was held by an index over the rows of all practices, which
-- could be on different nodes.
-- CreateTable
CREATE TABLE "held_number" (
    "number" TEXT NOT NULL,
    "organization_id" INTEGER NOT NULL,
    "phone_number_id" INTEGER NOT NULL,

    CONSTRAINT "held_number_pkey" PRIMARY KEY ("number")
);

-- CreateIndex
CREATE INDEX "held_number_organization_id_phone_number_id_idx" ON "held_number"("organization_id", "phone_number_id");

-- Where all tables are on one machine the directory follows the numbers, whichever release or hand writes them. It may do what its owner
-- may: the role of running servers gets its privileges on the new table when all migrations are done.
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

INSERT INTO held_number (number, organization_id, phone_number_id) SELECT number, organization_id, id FROM phone_number WHERE released_at IS NULL;

DROP INDEX phone_number_held_key;
