import type pg from 'pg';

interface Syncs {
  /** Statements that wait for a Sync; null while each sends its own. */
  waiting: number | null;
  /** For each Sync without an answer, the statements before it without one. */
  sent: number[];
  send(statements: number): void;
}

const known = new WeakMap<pg.Connection, Syncs>();

/**
 * Lets the statements from now on share one Sync, so that PostgreSQL sends their answers in one packet: one for each costs more than most
 * statements. Where one fails, PostgreSQL skips those after it, and they fail with the same error. For a transaction that was begun:
 * elsewhere the statements would become one.
 * @returns sends the Sync
 */
export function shareSync(connection: pg.Connection): () => void {
  const syncs = known.get(connection) ?? watchSyncs(connection);
  syncs.waiting ??= 0;
  return () => {
    const { waiting } = syncs;
    syncs.waiting = null;
    if (waiting) syncs.send(waiting);
  };
}

/** Gives the driver the end of each statement whose Sync is that of a later one: it waits for a ReadyForQuery after each. */
function watchSyncs(connection: pg.Connection): Syncs {
  const sync = connection.sync.bind(connection);
  const sent: number[] = [];
  const syncs: Syncs = {
    waiting: null,
    sent,
    send(statements) {
      sent.push(statements);
      sync();
    },
  };
  connection.sync = () => {
    if (syncs.waiting === null) syncs.send(1);
    else syncs.waiting += 1;
  };
  const endStatement = (status: string): boolean => {
    const [left = 1] = sent;
    if (left === 1) return false;
    sent[0] = left - 1;
    connection.emit('readyForQuery', { status, isOwn: true });
    return true;
  };
  // The driver's own listeners were added before, and have seen each message.
  connection.on('commandComplete', () => void endStatement('T'));
  connection.on('errorMessage', (error) => void (endStatement('E') && connection.emit('errorMessage', error)));
  connection.on('readyForQuery', ({ isOwn }: { isOwn?: boolean }) => void (isOwn || sent.shift()));
  known.set(connection, syncs);
  return syncs;
}
