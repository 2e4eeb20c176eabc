import { z } from 'zod';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { PracticeRows } from '../../../database/statements/practice-rows.ts';
import { statement } from '../../../database/statements/statement.ts';
import type { Anchor, ChainHead } from './chain-links.ts';
import { readSigned, signContent } from './signed-content.ts';

const TYPE = 'audit-restored';

const content = z.object({
  at: z.iso.datetime(),
  until: z.iso.datetime(),
  operator: z.string(),
  chains: z.array(
    z.object({
      organization: z.int(),
      kept: z.int(),
      lost: z.int(),
      head: z.object({ position: z.int(), hash: z.string() }).nullable(),
    }),
  ),
});

/** The chain of a practice after a restore to an older state. */
export interface RestoredChain {
  organizationId: number;
  /** The last anchored link before the lost ones; 0 without one. */
  kept: bigint;
  /** The last anchored link that is not in the chain. */
  lost: bigint;
}

/**
 * An operator's record of a restore, signed beside the anchors: nobody without the master keys can make one. It sets aside what the anchors
 * up to `until` have beyond the kept links, and anchors the chains as they were when it was made.
 */
export interface RecordedRestore extends Anchor {
  /** When the newest of those anchors was made. */
  until: Date;
  operator: string;
  chains: RestoredChain[];
}

/** @returns a line for the place of the anchors */
export function signRestore(keyring: Keyring, { at, until, operator, chains, heads }: RecordedRestore): string {
  const restored = chains.map(({ organizationId, kept, lost }) => {
    const head = heads.find((one) => one.organizationId === organizationId);
    return {
      ...{ organization: organizationId, kept: Number(kept), lost: Number(lost) },
      head: head ? { position: Number(head.position), hash: head.hash } : null,
    };
  });
  const signed = { at: at.toISOString(), until: until.toISOString(), operator, chains: restored };
  return JSON.stringify(signContent(keyring, TYPE, signed));
}

/** @returns null where a line is something else, or was altered */
export function readRestore(keyring: Keyring, line: string): RecordedRestore | null {
  const signed = readSigned(keyring, line);
  const read = content.safeParse(signed?.content);
  if (signed?.isOurs !== true || signed.typ !== TYPE || !read.success) return null;
  const { at, until, operator, chains } = read.data;
  return {
    at: new Date(at),
    until: new Date(until),
    operator,
    chains: chains.map(({ organization, kept, lost }) => ({ organizationId: organization, kept: BigInt(kept), lost: BigInt(lost) })),
    heads: chains.flatMap(({ organization, head }) =>
      head ? [{ organizationId: organization, position: BigInt(head.position), hash: head.hash }] : [],
    ),
  };
}

/** The heads that must still be in the chains: all anchored ones, without those that a recorded restore sets aside. */
export function listExpectedHeads(anchors: readonly Anchor[], restores: readonly RecordedRestore[]): Anchor['heads'] {
  const isSetAside = (at: Date, { organizationId, position }: Anchor['heads'][number]) =>
    restores.some(
      ({ until, chains }) => at <= until && chains.some((chain) => chain.organizationId === organizationId && position > chain.kept),
    );
  return [...anchors, ...restores].flatMap(({ at, heads }) => heads.filter((head) => !isSetAside(at, head)));
}

/** Values: organization, positions. */
const LINKS_AT = statement<{ position: string; hash: Uint8Array }>(
  'audit_links_at',
  'SELECT position::text, hash FROM audit_link WHERE organization_id = $1::int AND position = ANY ($2::bigint[])',
);
/** Values: organization. */
const ARCHIVED_UP_TO = statement<{ position: string | null }>(
  'audit_archived_up_to',
  'SELECT max(position)::text AS position FROM audit_checkpoint WHERE organization_id = $1::int',
);

/**
 * Compares the links of a chain with heads that it once had. Links in the archive count as kept: `audit verify --archive` reads them.
 * @returns null where none is lost
 */
export async function findLostLinks(tx: PracticeRows, heads: readonly ChainHead[]): Promise<RestoredChain | null> {
  const [archived] = await tx.rows(ARCHIVED_UP_TO);
  const positions = [...new Set(heads.map(({ position }) => String(position)))];
  const links = new Map(
    (await tx.rows(LINKS_AT, [positions])).map(({ position, hash }) => [position, Buffer.from(hash).toString('base64url')]),
  );
  const isLost = ({ position, hash }: ChainHead) => position > BigInt(archived?.position ?? 0) && links.get(String(position)) !== hash;
  const lost = heads.filter(isLost).map(({ position }) => position);
  const [first] = lost.toSorted(byPosition);
  if (first === undefined) return null;
  const kept = heads.filter((head) => !isLost(head) && head.position < first).map(({ position }) => position);
  return {
    organizationId: tx.organizationId,
    kept: kept.toSorted(byPosition).at(-1) ?? 0n,
    lost: lost.toSorted(byPosition).at(-1) ?? first,
  };
}

const byPosition = (one: bigint, other: bigint): number => Number(one - other);
