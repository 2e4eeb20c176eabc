import { createHash } from 'node:crypto';
import type { Db } from '../../database/database.ts';
import { type Keyring, KeyringError } from '../../database/keyring.ts';
import type { AuditExplanation } from '../../generated/prisma/client.ts';
import { isMac } from './chain-heads.ts';
import { linkText } from './chain-links.ts';
import type { Step } from './chain-walk.ts';

const PURPOSE = 'audit-explanation';

/** A stretch of a chain whose seals nobody can check, since the key is gone, and what an operator says of it. */
export interface Explanation {
  organizationId: number;
  first: bigint;
  last: bigint;
  /** The id of the key that is gone. */
  sealedUnder: string;
  /** SHA-256 over the links of the stretch and their entries, as they were when it was explained. */
  digest: Buffer;
  reason: string;
  operator: string;
  at: Date;
}

/** The explanations of a chain in their order, and why others do not count. */
export interface FoundExplanations {
  holding: Explanation[];
  refused: { first: bigint; last: bigint; what: string }[];
}

/** Reads the explanations of a chain, and checks that they were made with the master keys. */
export async function readExplanations(db: Db, keyring: Keyring, organizationId: number): Promise<FoundExplanations> {
  const rows = await db.auditExplanation.findMany({ where: { organizationId }, orderBy: { firstPosition: 'asc' } });
  const found: FoundExplanations = { holding: [], refused: [] };
  for (const row of rows) {
    const explanation = explanationOf(row);
    const what = flawOf(keyring, explanation, row);
    if (what === null) found.holding.push(explanation);
    else found.refused.push({ first: explanation.first, last: explanation.last, what });
  }
  return found;
}

/** Keeps an explanation, with a MAC under the current master key. */
export async function keepExplanation(db: Db, keyring: Keyring, explanation: Explanation): Promise<void> {
  const { organizationId, first, last, sealedUnder, digest, reason, operator, at } = explanation;
  const mac = new Uint8Array(keyring.mac(PURPOSE, textOf(explanation)));
  await db.auditExplanation.create({
    data: {
      ...{ organizationId, firstPosition: first, lastPosition: last, sealedUnder, digest: new Uint8Array(digest) },
      ...{ reason, operator, explainedAt: at, keyId: keyring.currentId, mac },
    },
  });
}

/** Puts the explanations under the current master key, so that they are known without older ones. Those that do not hold stay as they are. */
export async function renewExplanations(db: Db, keyring: Keyring): Promise<void> {
  const old = await db.auditExplanation.findMany({ where: { keyId: { not: keyring.currentId } } });
  for (const row of old) {
    const explanation = explanationOf(row);
    if (flawOf(keyring, explanation, row) !== null) continue;
    const { organizationId, firstPosition } = row;
    const mac = new Uint8Array(keyring.mac(PURPOSE, textOf(explanation)));
    await db.auditExplanation.updateMany({
      where: { organizationId, firstPosition, mac: row.mac },
      data: { keyId: keyring.currentId, mac },
    });
  }
}

/** Sums up the links of a stretch and their entries, in their order. It needs no key, so that it holds whoever has which. */
export function createDigest() {
  const hash = createHash('sha256');
  return {
    add({ link, previous, entries }: Step): void {
      const { position, keyId, form } = link;
      const marks = link.marks && Buffer.from(link.marks);
      hash.update(`${JSON.stringify([keyId, Buffer.from(link.hash).toString('hex'), String(link.transactionId)])}\n`);
      hash.update(linkText({ form, previous, position, marks }, entries)).update('\n');
    },
    end: (): Buffer => hash.digest(),
  };
}

/** Follows a walk and says of each link whether an explanation covers it; at the end of a stretch, whether it is as it was. */
export function createCover(explanations: readonly Explanation[]) {
  const rest = [...explanations];
  let digest = createDigest();
  const named = ({ first, last }: Explanation) => `links ${first} to ${last}, which were explained,`;
  return {
    /** @returns whether the link is covered, and what is wrong with the stretch that it ends */
    take(step: Step): { isCovered: boolean; what: string | null } {
      const [next] = rest;
      if (!next || step.link.position < next.first) return { isCovered: false, what: null };
      digest.add(step);
      if (step.link.position < next.last) return { isCovered: true, what: null };
      rest.shift();
      const same = digest.end().equals(next.digest);
      digest = createDigest();
      return { isCovered: true, what: same ? null : `of ${named(next)} some were edited, added or moved since` };
    },
    /** The stretch that the chain does not reach, in words. */
    unreached: (): string | null => (rest[0] ? `${named(rest[0])} are missing: they were cut off` : null),
  };
}

function flawOf(keyring: Keyring, explanation: Explanation, row: AuditExplanation): string | null {
  const named = `the explanation of links ${explanation.first} to ${explanation.last}`;
  try {
    return isMac(keyring, PURPOSE, textOf(explanation), row) ? null : `${named} was edited, or was made without the master keys`;
  } catch (error) {
    if (error instanceof KeyringError) return `${named} cannot be checked: ${error.message}`;
    throw error;
  }
}

const explanationOf = ({ organizationId, firstPosition, lastPosition, explainedAt, digest, ...row }: AuditExplanation): Explanation => ({
  ...{ organizationId, first: firstPosition, last: lastPosition, sealedUnder: row.sealedUnder, digest: Buffer.from(digest) },
  ...{ reason: row.reason, operator: row.operator, at: explainedAt },
});

const textOf = ({ organizationId, first, last, sealedUnder, digest, reason, operator, at }: Explanation): string =>
  JSON.stringify([organizationId, String(first), String(last), sealedUnder, digest.toString('hex'), reason, operator, at.toISOString()]);
