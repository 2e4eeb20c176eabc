import { z } from 'zod';
import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import { describeChainError, readHead } from './chain-heads.ts';
import type { Anchor } from './chain-links.ts';
import { type RecordedRestore, readRestore } from './recorded-restores.ts';
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
      refused.push({ organizationId: id, reason: describeChainError(error) });
      return null;
    });
    if (!head) continue;
    const { position, hash, events } = head;
    heads.push({ organization: id, position: Number(position), hash: hash.toString('base64url'), events: Number(events) });
  }
  const signed = signContent(keyring, 'audit-anchor', { at: now.toISOString(), heads });
  return { line: JSON.stringify(signed), chains: heads.length, refused };
}

interface ReadAnchors {
  /** Those that hold. */
  anchors: Anchor[];
  /** The records of restores among them. */
  restores: RecordedRestore[];
  /** The numbers, from 1, of those that were altered, or signed under another key than ours. */
  refused: number[];
}

/** Checks the signatures of anchors and of records of restores. @param lines as they were made, in their order */
export function readAnchors(keyring: Keyring, lines: readonly string[]): ReadAnchors {
  const found: ReadAnchors = { anchors: [], restores: [], refused: [] };
  for (const [index, text] of lines.entries()) {
    const anchor = readAnchor(keyring, text);
    const restore = anchor ? null : readRestore(keyring, text);
    if (anchor) found.anchors.push(anchor);
    else if (restore) found.restores.push(restore);
    else found.refused.push(index + 1);
  }
  return found;
}

function readAnchor(keyring: Keyring, text: string): Anchor | null {
  const signed = readSigned(keyring, text);
  const read = content.safeParse(signed?.content);
  if (signed?.isOurs !== true || !read.success) return null;
  const { at, heads } = read.data;
  const kept = heads.map(({ organization, position, hash }) => ({ organizationId: organization, position: BigInt(position), hash }));
  return { at: new Date(at), heads: kept };
}
