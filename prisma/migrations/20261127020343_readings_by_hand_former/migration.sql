-- reading_by_hand_valid_key has taken its place.
DROP INDEX CONCURRENTLY IF EXISTS reading_by_hand_key;
