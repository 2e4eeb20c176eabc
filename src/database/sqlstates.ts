/**
 * SQLSTATEs in words: class or code, the name of the condition in PostgreSQL's manual (appendix A), and what it means to an operator.
 * A code that is not listed has the words of its class; a class that no statement of this program meets has none.
 */
const CONDITIONS = `
08 connection_exception: the connection to the database, or from it to another one, was lost
08001 sqlclient_unable_to_establish_sqlconnection: the database could not be connected to
08003 connection_does_not_exist: the connection had been closed
08006 connection_failure: a connection was lost: on a cluster, a node is down
P1001 database_not_reachable: the database could not be connected to: is it up, and is its address right?
ECONNREFUSED connection_refused: nothing accepts connections at the address: is it up, and is the address right?
08P01 protocol_violation: the database and this program, or a pooler between them, misunderstood each other
0A feature_not_supported: the database, or its version or cluster, cannot do this
21 cardinality_violation: a subquery returned more than one row
22 data_exception: a value is not one that its column or function takes
22001 string_data_right_truncation: a text is longer than its column
22003 numeric_value_out_of_range: a number is larger than its column
22007 invalid_datetime_format: a text is no date or time
22008 datetime_field_overflow: a date or time does not exist
22012 division_by_zero: a number was divided by zero
22021 character_not_in_repertoire: a text has bytes that are not UTF-8
22023 invalid_parameter_value: a function or setting does not take this value
22P02 invalid_text_representation: a text has not the form of its type
23 integrity_constraint_violation: a rule of the tables refused the row
23001 restrict_violation: other rows refer to the row
23502 not_null_violation: a column that must have a value got none
23503 foreign_key_violation: a row refers to one that does not exist, or is referred to
23505 unique_violation: there is a row with this key already
23514 check_violation: a value breaks a rule of its table
23P01 exclusion_violation: the row overlaps another one
25 invalid_transaction_state: the transaction is not in a state for this statement
25001 active_sql_transaction: the statement cannot run within a transaction
25006 read_only_sql_transaction: the database takes no writes: a standby, or one that is set to be read-only
25P01 no_active_sql_transaction: the statement needs a transaction
25P02 in_failed_sql_transaction: an earlier statement of the transaction had failed
25P03 idle_in_transaction_session_timeout: a transaction waited too long for its next statement, and was ended
25P04 transaction_timeout: the transaction took longer than transaction_timeout allows
26 invalid_sql_statement_name: a prepared statement is unknown to this session: does a pooler share sessions
28 invalid_authorization_specification: the database does not let this user in
28P01 invalid_password: the password in the database's address is wrong
3D invalid_catalog_name: there is no such database
3F invalid_schema_name: there is no such schema
40 transaction_rollback: the transaction was undone, and may be tried again
40001 serialization_failure: another transaction changed the same rows at the same time
40P01 deadlock_detected: two transactions waited for each other, and this one was ended
42 syntax_error_or_access_rule_violation: the statement does not fit this database, or its role may not run it
42501 insufficient_privilege: the role of the server may not do this
42601 syntax_error: the statement is not written as the database reads it
42703 undefined_column: a column is missing: are all migrations applied
42883 undefined_function: a function is missing: are all migrations applied
42P01 undefined_table: a table is missing: are all migrations applied
53 insufficient_resources: the database lacks room, memory or connections
53100 disk_full: the disk of the database is full
53200 out_of_memory: the database has no memory left
53300 too_many_connections: all connections that the database allows are taken
54 program_limit_exceeded: the statement is too large or too deep for the database
55 object_not_in_prerequisite_state: something is not in a state for this statement
55006 object_in_use: it is in use
55P03 lock_not_available: the statement waited for a lock longer than lock_timeout allows
57 operator_intervention: the database, or an operator of it, ended the statement or the session
57014 query_canceled: the statement took longer than statement_timeout allows, or an operator canceled it
57P01 admin_shutdown: the database was shut down or restarted, or an operator ended the session
57P02 crash_shutdown: a process of the database crashed, and all sessions were ended
57P03 cannot_connect_now: the database is starting, stopping or recovering
57P05 idle_session_timeout: the session was idle for longer than idle_session_timeout allows
58 system_error: the machine of the database failed it
58030 io_error: a disk of the database cannot be read or written
58P01 undefined_file: a file of the database is missing
P0 plpgsql_error: a function or trigger refused this
P0001 raise_exception: a function or trigger refused this
XX internal_error: the database met an error of its own
XX001 data_corrupted: stored data is damaged: look at the disk, and restore a backup
XX002 index_corrupted: an index is damaged: look at the disk, and REINDEX
`;

interface Condition {
  /** Left out for the codes of Prisma and the system. */
  sqlstate?: string;
  /** As PostgreSQL names it. */
  condition: string;
  meaning: string;
}

const WORDS = new Map(
  CONDITIONS.trim()
    .split('\n')
    .map((line) => /^(\w+) (\w+): (.*)$/.exec(line) ?? [])
    .map(([, code = '', condition = '', meaning = '']) => [code, { condition, meaning }] as const),
);

/** The words for a SQLSTATE, or a refused connection; null for any other code, such as Prisma's (P2002) and the system's (EPIPE). */
export function findCondition(code: string): Condition | null {
  if (!/^[0-9A-Z]{5}$/.test(code) || code === 'P1001') return WORDS.get(code) ?? null;
  const words = WORDS.get(code) ?? WORDS.get(code.slice(0, 2));
  return words ? { sqlstate: code, ...words } : null;
}
