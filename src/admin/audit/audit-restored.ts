import type { Command } from 'commander';
import { z } from 'zod';
import { preparedIn } from '../../database/statements/statement.ts';
import { readAnchors } from '../../domain/audit/chain/anchors.ts';
import { readHead } from '../../domain/audit/chain/chain-heads.ts';
import type { Anchor } from '../../domain/audit/chain/chain-links.ts';
import {
  findLostLinks,
  listExpectedHeads,
  type RecordedRestore,
  type RestoredChain,
  signRestore,
} from '../../domain/audit/chain/recorded-restores.ts';
import { verifyChain } from '../../domain/audit/chain/verify-chain.ts';
import { conflict } from '../../domain/errors.ts';
import { listOrganizations } from '../../domain/practices/organizations.ts';
import { inPractice } from '../../domain/tx.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import type { AnchorStore } from '../../gateways/anchors/anchor-store.ts';
import { createAnchorStore } from '../../gateways/anchors/create-anchor-store.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { text } from '../terminal/options.ts';
import { type CommandResult, type Row, table } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';

export function restoredCommand(audit: Command, command: CommandDeclarer['command']): void {
  command(audit, 'restored', {
    summary: 'Record that the database was restored to a state older than its anchors',
    details:
      'Adds a signed line to the anchors, and an entry to the audit of each practice that lost some. audit verify then accepts the restored ' +
      'chains, and names what was lost. Refuses a chain that is broken in itself. Run it before the next audit archive.',
    options: z.object({
      anchors: text(1_000)
        .exactOptional()
        .meta({ placeholder: 'file or s3://bucket/prefix' })
        .describe('the anchors, to which the record is added (default: AUDIT_ANCHOR)'),
    }),
    run: recordRestore,
  });
}

/** The content of a place of anchors. */
interface Evidence {
  store: AnchorStore;
  heads: Anchor['heads'];
  restores: RecordedRestore[];
  /** When the newest line was made; null without one that holds. */
  until: Date | null;
  /** A sentence for each line that cannot be used. */
  problems: string[];
}

/** Reads anchors and records of restores. @param target a file or `s3://bucket/prefix` */
export async function readEvidence({ config, keyring }: Session, target: string): Promise<Evidence> {
  const store = await createAnchorStore(target, config);
  const { anchors, restores, refused } = readAnchors(keyring, await store.read());
  const instants = [...anchors, ...restores].map(({ at }) => at.getTime());
  return {
    store,
    heads: listExpectedHeads(anchors, restores),
    restores,
    until: instants.length === 0 ? null : new Date(instants.reduce((one, other) => Math.max(one, other))),
    problems: refused.map((number) => `Anchor ${number} of ${target} was altered, or was signed under other MASTER_KEYS; it was not used.`),
  };
}

/** Without an earlier anchor nobody knows from which link on they are lost. */
const describeLoss = ({ kept, lost }: Pick<RestoredChain, 'kept' | 'lost'>): string =>
  kept === 0n ? `the last links up to ${lost}` : `links after ${kept} up to ${lost}`;

/** A sentence about each chain of a recorded restore. @param practices that are shown */
export const describeRestores = (restores: readonly RecordedRestore[], practices: readonly number[]): string[] =>
  restores.flatMap(({ at, until, operator, chains }) =>
    chains
      .filter(({ organizationId }) => practices.includes(organizationId))
      .map(
        ({ organizationId, kept, lost }) =>
          `The audit of practice ${organizationId} was restored to an older state, as ${operator} recorded on ${writeInstant(at)}: ` +
          `${describeLoss({ kept, lost })}, anchored until ${writeInstant(until)}, are lost.`,
      ),
  );

async function recordRestore(session: Session, { anchors }: { anchors?: string }): Promise<CommandResult> {
  const target = anchors ?? session.config.AUDIT_ANCHOR;
  if (target === undefined) throw new UsageError('Name the anchors: --anchors, or the variable AUDIT_ANCHOR.');
  const { store, heads, until, problems } = await readEvidence(session, target);
  const problem = problems.length === 0 ? {} : { problem: problems.join('\n') };
  const chains = await findRestoredChains(session, heads);
  if (until === null || chains.length === 0)
    return { json: [], text: 'All anchored links are in the chains: there is nothing to record.', ...problem };
  const present = await auditRestore(session, chains);
  const prepared = preparedIn(session.db);
  const kept = await Promise.all(present.map((id) => readHead(prepared, session.keyring, id)));
  const restored = kept
    .filter((head) => head !== null)
    .map(({ organizationId, position, hash }) => ({ organizationId, position, hash: hash.toString('base64url') }));
  // Later than what it sets aside, also where this machine's clock is behind.
  const at = new Date(Math.max(Date.now(), until.getTime() + 1));
  await store.append(signRestore(session.keyring, { at, until, operator: session.operatorName, chains, heads: restored }), at);
  const rows = chains.map(
    ({ organizationId, kept: last, lost }): Row => ({
      practice_id: organizationId,
      kept: Number(last),
      lost: Number(lost),
      anchored_until: writeInstant(until),
    }),
  );
  return { json: rows, text: `${table(rows)}\n\nRecorded in ${target}, and in the audit of these practices.`, ...problem };
}

/** The chains that lack anchored links. @throws Failure conflict for one that is broken also without the anchors */
async function findRestoredChains({ db, keyring }: Session, heads: Anchor['heads']): Promise<RestoredChain[]> {
  const chains: RestoredChain[] = [];
  for (const organizationId of new Set(heads.map((head) => head.organizationId))) {
    const its = heads.filter((head) => head.organizationId === organizationId);
    const chain = await findLostLinks(inPractice(db, organizationId), its);
    if (chain === null) continue;
    const { broken } = await verifyChain(db, keyring, organizationId);
    if (broken)
      throw conflict(
        'chain_broken',
        `The audit of practice ${organizationId} is broken at link ${broken.position}, which no restore explains: ${broken.what}. Nothing was recorded.`,
      );
    chains.push(chain);
  }
  return chains;
}

/** Writes an entry to the audit of each practice that is still there. @returns their ids */
async function auditRestore(session: Session, chains: readonly RestoredChain[]): Promise<number[]> {
  const all = (await listOrganizations(session.db)).map(({ id }) => id);
  const present = chains.filter(({ organizationId }) => all.includes(organizationId));
  for (const { organizationId, kept, lost } of present)
    await session.write(organizationId, async (tx) => {
      const detail = `restored: ${describeLoss({ kept, lost })} of the anchors are lost`;
      tx.journal.audits.push({ action: 'administer', resource: 'audit_chain', ids: [], detail });
    });
  return present.map(({ organizationId }) => organizationId);
}
