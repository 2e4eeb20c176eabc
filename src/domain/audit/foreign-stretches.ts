import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/keyring.ts';
import { preparedIn } from '../../database/statement.ts';
import { placeOf, readCheckpoints } from './archive/checkpoints.ts';
import { AuditChainError, findHead, type KeptHead } from './chain-heads.ts';
import { FIRST } from './chain-links.ts';
import { type ChainPlace, type Link, type Step, walkChain } from './chain-walk.ts';
import { flawOfEvents, headOrFlaw } from './event-count.ts';
import { createCover, createDigest, readExplanations } from './explanations.ts';

/** Links one after another that were sealed under one key, which nobody has, and that nobody has explained. */
export interface ForeignStretch {
  first: bigint;
  last: bigint;
  /** The id of the key. */
  sealedUnder: string;
  /** Whether no master key has that id; otherwise the one that has it is another key. */
  keyIsMissing: boolean;
  /** Instants of the first and the last entry, as the log writes them. */
  from: string;
  to: string;
  /** See Explanation. */
  digest: Buffer;
}

/** The stretches of a chain that an operator may explain. */
export interface Explainable {
  stretches: ForeignStretch[];
  /** The head that stands in the database, where it does not hold under the master keys; it is the newest link. */
  foreignHead: KeptHead | null;
}

interface Run extends Omit<ForeignStretch, 'digest'> {
  digest: ReturnType<typeof createDigest>;
}

/**
 * Finds what was sealed under keys that nobody has. All else that is wrong with the chain is an alteration, which nobody explains:
 * links and entries that are not one for one, a cut end, events without entries, an explained stretch that was altered, a head that
 * is gone; and links that do not hold under a key that holds behind them, or whose head holds.
 * @throws AuditChainError naming the alteration
 */
export async function findForeignStretches(db: Db, keyring: Keyring, organizationId: number): Promise<Explainable> {
  const { checkpoints, flaw } = await readCheckpoints(preparedIn(db), keyring, organizationId);
  if (flaw !== null) throw new AuditChainError(flaw);
  const start = placeOf(checkpoints.at(-1));
  const { runs, newest } = await collectRuns(db, keyring, organizationId, start);
  const foreignHead = await headIfForeign(db, keyring, organizationId, newest?.link ?? (start.position > 0n ? start : undefined));
  const wrong = runs.find(({ keyIsMissing }) => !keyIsMissing);
  if (wrong && !foreignHead) throw new AuditChainError(`link ${wrong.first} does not hold, and the head of the chain does: it was altered`);
  if (runs.length === 0 && foreignHead && newest) runs.push(beginRun(newest, foreignHead.keyIsMissing));
  const stretches = runs.map(({ digest, ...run }) => ({ ...run, digest: digest.end() }));
  return { stretches, foreignHead: foreignHead?.head ?? null };
}

/** @param after the end of what is in the archive, which was verified when it went there */
async function collectRuns(
  db: Db,
  keyring: Keyring,
  organizationId: number,
  after: ChainPlace,
): Promise<{ runs: Run[]; newest: Step | null }> {
  const { holding } = await readExplanations(db, keyring, organizationId);
  const cover = createCover(holding.filter(({ first }) => first > after.position));
  const runs: Run[] = [];
  let newest: Step | null = null;
  let open: Run | null = null;
  for await (const step of walkChain(db, keyring, organizationId, { after })) {
    if (!('link' in step)) throw new AuditChainError(step.what);
    newest = step;
    const { isCovered, what } = cover.take(step);
    if (what !== null) throw new AuditChainError(what);
    if (isCovered || step.broken === null) {
      if (!isCovered && open?.keyIsMissing === false)
        throw new AuditChainError(`link ${open.first} does not hold, and later ones do: it was altered`);
      open = null;
      continue;
    }
    if (open && open.sealedUnder === step.link.keyId && open.keyIsMissing === step.broken.keyIsMissing) extend(open, step);
    else {
      open = beginRun(step, step.broken.keyIsMissing);
      runs.push(open);
    }
  }
  const cut = cover.unreached();
  if (cut !== null) throw new AuditChainError(cut);
  return { runs, newest };
}

function beginRun(step: Step, keyIsMissing: boolean): Run {
  const { link, first, entries } = step;
  const run = { first, last: link.position, sealedUnder: link.keyId, keyIsMissing, from: entries[0].at, to: lastOf(step).at };
  const digest = createDigest();
  digest.add(step);
  return { ...run, digest };
}

const lastOf = ({ entries }: Step) => entries[entries.length - 1] ?? entries[0];

function extend(run: Run, step: Step): void {
  run.last = step.link.position;
  run.to = lastOf(step).at;
  run.digest.add(step);
}

/** The end of a chain: a link, or the checkpoint of its archive. */
type NewestLink = Pick<Link, 'position' | 'hash'> & { form?: number };

/** @throws AuditChainError where the head is not the newest link, is gone, or counts other events than there are */
async function headIfForeign(db: Db, keyring: Keyring, organizationId: number, newest: NewestLink | undefined) {
  const prepared = preparedIn(db);
  const found = await findHead(prepared, organizationId);
  if (!found) {
    if (newest && newest.form !== 1) throw new AuditChainError('the head of the chain is missing: it was deleted');
    return null;
  }
  const { head, keyId } = found;
  if (head.position !== (newest?.position ?? 0n) || !head.hash.equals(newest?.hash ?? FIRST))
    throw new AuditChainError(`the chain ends with link ${newest?.position ?? 0} and not with its kept head, link ${head.position}`);
  const events = await flawOfEvents(prepared, keyring, organizationId, head);
  if (events !== null) throw new AuditChainError(events);
  const { flaw } = await headOrFlaw(prepared, keyring, organizationId);
  return flaw === null ? null : { head, keyIsMissing: !keyring.ids.includes(keyId) };
}
