-- Appointments are read with the records that they refer to, which no process caches any more.
DROP TRIGGER location_reference_changed ON location;
DROP TRIGGER location_reference_removed ON location;
DROP TRIGGER office_reference_changed ON office;
DROP TRIGGER office_reference_removed ON office;
DROP TRIGGER user_reference_changed ON "user";
DROP TRIGGER user_reference_removed ON "user";
DROP TRIGGER waiting_room_reference_changed ON waiting_room;
DROP TRIGGER waiting_room_reference_removed ON waiting_room;
-- Where the database is distributed, these are not there.
DROP TRIGGER IF EXISTS appointment_type_reference_changed ON appointment_type;
DROP TRIGGER IF EXISTS appointment_type_reference_removed ON appointment_type;
DROP TRIGGER IF EXISTS appointment_type_shared_changed ON appointment_type;
DROP TRIGGER IF EXISTS appointment_type_shared_removed ON appointment_type;
DROP FUNCTION reference_changed();
DROP FUNCTION global_type_changed();

DROP TABLE reference_version;
DROP TABLE global_type_version;
