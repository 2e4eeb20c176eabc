import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/keyring.ts';
import { preparedIn } from '../../database/statement.ts';
import { readHead, reasonOf } from './chain-heads.ts';
import type { ChainHead } from './chain-links.ts';
import { readExplanations } from './explanations.ts';
import { readSigned, signContent } from './signed-content.ts';

const content = z.object({
  at: z.iso.datetime(),
  heads: z.array(z.object({ organization: z.int(), position: z.int(), hash: z.string(), events: z.int() })),
});

/** An anchor as it is written, and the practices whose head does not hold. */
export interface SignedAnchor {
  line: string;
  /** Heads in it. */
  chains: number;
  refused: { organizationId: number; reason: string }[];
}

/** An anchor that was checked: the heads of all chains at an instant. */
export interface Anchor {
  at: Date;
  heads: (ChainHead & { organizationId: number })[];
}

/**
 * Signs the heads of all chains for a place outside of the database: one line of JSON, a JWS in its flattened form (RFC 7515), so
 * that others can check it with the public key in its header. The key follows from the current master key and is stored nowhere.
 * A head that does not hold is left out and told: such a state is not anchored, and that of other practices is all the same.
 */
export async function signAnchor(db: Db, keyring: Keyring, now = new Date()): Promise<SignedAnchor> {
  const prepared = preparedIn(db);
  const heads: z.output<typeof content>['heads'] = [];
  const refused: SignedAnchor['refused'] = [];
  for (const { id } of await db.organization.findMany({ select: { id: true }, orderBy: { id: 'asc' } })) {
    const head = await readHead(prepared, keyring, id).catch((error: unknown) => {
      refused.push({ organizationId: id, reason: reasonOf(error) });
      return null;
    });
    if (!head) continue;
    const { position, hash, events } = head;
    heads.push({ organization: id, position: Number(position), hash: hash.toString('base64url'), events: Number(events) });
  }
  const signed = signContent(keyring, 'audit-anchor', { at: now.toISOString(), heads });
  return { line: JSON.stringify(signed), chains: heads.length, refused };
}

/** The lines of a place with anchors. Numbers count from 1. */
interface ReadAnchors {
  /** Those that hold. */
  anchors: Anchor[];
  /** Those that hold under the key in their own header, which is none of ours. */
  foreign: (Anchor & { number: number })[];
  /** The numbers of those that were altered. */
  altered: number[];
}

/** Checks the signatures of anchors. @param lines as signAnchor made them, in their order */
export function readAnchors(keyring: Keyring, lines: readonly string[]): ReadAnchors {
  const found: ReadAnchors = { anchors: [], foreign: [], altered: [] };
  for (const [index, text] of lines.entries()) {
    const read = readAnchor(keyring, text);
    if (read === null) found.altered.push(index + 1);
    else if (read.isOurs) found.anchors.push(read.anchor);
    else found.foreign.push({ ...read.anchor, number: index + 1 });
  }
  return found;
}

/**
 * Whether an anchor of a foreign key agrees with the chains as they stand, and says something of an explained stretch: it was signed
 * by the server that sealed that stretch. It proves nothing of the rest.
 */
export async function areExplained(db: Db, keyring: Keyring, heads: Anchor['heads']): Promise<boolean> {
  let isOfStretch = false;
  for (const { organizationId, position, hash } of heads) {
    // Heads that are in the archive are not compared here.
    const query = { where: { organizationId, position: { gt: position } }, select: { position: true } };
    if (await db.auditCheckpoint.findFirst(query)) continue;
    const link = await db.auditLink.findUnique({
      where: { organizationId_position: { organizationId, position } },
      select: { hash: true },
    });
    if (!link || Buffer.from(link.hash).toString('base64url') !== hash) return false;
    const { holding } = await readExplanations(db, keyring, organizationId);
    isOfStretch ||= holding.some(({ first, last }) => first <= position && position <= last);
  }
  return isOfStretch;
}

function readAnchor(keyring: Keyring, text: string): { anchor: Anchor; isOurs: boolean } | null {
  const signed = readSigned(keyring, text);
  const read = content.safeParse(signed?.content);
  if (!signed || !read.success) return null;
  const { at, heads } = read.data;
  const kept = heads.map(({ organization, position, hash }) => ({ organizationId: organization, position: BigInt(position), hash }));
  return { anchor: { at: new Date(at), heads: kept }, isOurs: signed.isOurs };
}
