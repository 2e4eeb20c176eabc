-- One short transaction: no row is copied.
SELECT divide_log('event', 'occurred_at');
SELECT make_log_partitions();
DROP FUNCTION divide_log(text, text);
