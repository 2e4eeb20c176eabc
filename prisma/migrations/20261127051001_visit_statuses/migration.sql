ALTER TYPE appointment_status ADD VALUE 'roomed' AFTER 'arrived';
ALTER TYPE appointment_status ADD VALUE 'in_progress' AFTER 'roomed';
ALTER TYPE appointment_status ADD VALUE 'checked_out' AFTER 'in_progress';

ALTER TABLE appointment ADD COLUMN status_changes jsonb NOT NULL DEFAULT '[]';
