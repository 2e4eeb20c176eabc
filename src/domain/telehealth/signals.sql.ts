import { ofEachPractice } from '../../database/reachable-practices.ts';
import { type Prepared, statement } from '../../database/statement.ts';
import type { PeerSignal } from './signals.ts';

type Pair = Omit<PeerSignal, 'data'>;

/** Pairs of participants who are both in the present visit of their session: the condition of relayPeerSignals. Values: organization, and the pairs as arrays. */
const REACHABLE = statement<{ place: number }>(
  'reachable_pairs',
  `SELECT m.place::int AS place
     FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS m (session_id, sender, receiver, place)
     JOIN video_session s ON s.organization_id = $1::int AND s.id = m.session_id
     JOIN session_participant a ON a.organization_id = $1::int AND a.id = m.sender AND a.video_session_id = m.session_id
      AND a.admitted_at IS NOT NULL AND a.joined_at IS NOT NULL AND a.left_at IS NULL AND (a.role = 'host' OR a.visit = s.visit)
     JOIN session_participant b ON b.organization_id = $1::int AND b.id = m.receiver AND b.video_session_id = m.session_id
      AND b.admitted_at IS NOT NULL AND b.joined_at IS NOT NULL AND b.left_at IS NULL AND (b.role = 'host' OR b.visit = s.visit) AND b.id <> a.id`,
);

const keyOf = ({ organizationId, sessionId, from, to }: Pair): string => `${organizationId} ${sessionId} ${from} ${to}`;

/** Whether each signal may be relayed, for signals that go another way than through the database. */
export async function mayRelay(prepared: Prepared, signals: readonly PeerSignal[]): Promise<boolean[]> {
  const pairs = [...new Map(signals.map((signal) => [keyOf(signal), signal])).values()];
  const reachable = new Set<string>();
  await ofEachPractice(pairs, async (organizationId, ofPractice) => {
    const column = (read: (pair: Pair) => number) => ofPractice.map(read);
    const columns = [column(({ sessionId }) => sessionId), column(({ from }) => from), column(({ to }) => to)];
    for (const { place } of await prepared.rows(REACHABLE, [organizationId, ...columns])) {
      const pair = ofPractice[place - 1];
      if (pair) reachable.add(keyOf(pair));
    }
  });
  return signals.map((signal) => reachable.has(keyOf(signal)));
}
