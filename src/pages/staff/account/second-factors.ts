import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { conflict } from '../../../domain/errors.ts';
import { addPasskey, NewPasskey } from '../../../domain/identity/factors/passkeys.ts';
import { codesWithFirstFactor, replaceRecoveryCodes } from '../../../domain/identity/factors/recovery-codes.ts';
import {
  countRecoveryCodes,
  deleteSecondFactor,
  hasSecondFactor,
  listSecondFactors,
  requireOwner,
} from '../../../domain/identity/factors/second-factors.ts';
import { addAuthenticatorApp } from '../../../domain/identity/factors/totp.ts';
import { readSecurityPolicy, requiresSecondFactor } from '../../../domain/identity/policies/security-policy.ts';
import type { Tx } from '../../../domain/tx.ts';
import { mailFactorNews } from '../../../domain/users/factor-mails.ts';
import type { FactorNews } from '../../../domain/users/factor-words.ts';
import { readInput } from '../../../http/input/input.ts';
import { requireSite } from '../../../http/sign-in/passkey-sign-in.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import { id, secret, text } from '../../../http/wire/wire-types.ts';
import { sendPage } from '../../design/layout/page.ts';
import { newsIn } from '../forms/run-form.ts';
import { confirmAddress } from '../sign-in/confirm.ts';
import { failureOfForm, inField } from '../sign-in/second-step-pages.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { readerPractice, requireStaff } from '../sign-in/staff-scope.ts';
import { addableFor, refusalWords } from './addable.ts';
import { codesPage, type ShownNews, secondFactorsPage } from './second-factors-view.ts';

const HOME = '/account/second-factors';
const token = () => secret(1_500).default('');
const name = () => text(60).optional();
const PasskeyForm = z.object({ challenge: token(), name: name(), passkey: inField(NewPasskey) });
const AppForm = z.object({ challenge: token(), name: name(), code: secret(20).default('') });
const DeleteForm = z.object({ factor: id() });

const DONE = {
  passkey_added: 'The passkey was added.',
  authenticator_app_added: 'The authenticator app was added.',
  factor_deleted: 'The second factor was deleted.',
} satisfies Partial<Record<FactorNews, string>>;

type Change = (tx: Tx, request: FastifyRequest) => Promise<string[] | null>;

/** A form that changes factors, and the news of it for the mail. */
interface FactorForm {
  news: FactorNews;
  change: Change;
  /** The challenge that a wrong code leaves open. */
  readSentChallenge?: (request: FastifyRequest) => string | undefined;
}

/** The second factors of the person at the page. In the scope of staff. */
export function secondFactorPages(app: FastifyInstance, deps: StaffPageDeps): void {
  async function page(request: FastifyRequest, shown: ShownNews = {}, challenge?: string): Promise<string> {
    const db = deps.database.prisma;
    const owner = requireOwner(requireStaff(request));
    const read = [readerPractice(deps, request), listSecondFactors(db, owner), countRecoveryCodes(db, owner)] as const;
    const [practice, factors, codesLeft] = await Promise.all(read);
    const { passkey, app: offered } = await addableFor(deps, owner, request, challenge);
    const app = factors.some(({ kind }) => kind === 'authenticator_app') ? null : offered;
    return secondFactorsPage({ practice, factors, codesLeft, ...shown, passkey, app });
  }

  app.get(HOME, async (request, reply) => {
    const confirm = await confirmAddress(deps, request, HOME);
    return confirm ? reply.redirect(confirm, 303) : sendPage(reply, await page(request, { news: newsIn(request, DONE) }));
  });

  const form = (path: string, { news, change, readSentChallenge }: FactorForm) =>
    app.post(`${HOME}/${path}`, async (request, reply: FastifyReply) => {
      const confirm = await confirmAddress(deps, request, HOME);
      if (confirm) return reply.redirect(confirm, 303);
      try {
        const codes = await deps.unitOfWork.write(requireStaff(request), async (tx) => {
          const made = await change(tx, request);
          await mailFactorNews(tx, { keyring: deps.keyring, origin: readOrigin(request) }, requireOwner(tx).userId, news);
          return made;
        });
        return codes ? sendPage(reply, codesPage(codes, await readerPractice(deps, request))) : reply.redirect(`${HOME}?done=${news}`, 303);
      } catch (error) {
        const failure = failureOfForm(error, reply);
        const challenge = failure.code === 'invalid_input' ? readSentChallenge?.(request) : undefined;
        return sendPage(reply, await page(request, refusalWords(failure), challenge));
      }
    });

  const addOwnPasskey: Change = async (tx, request) => {
    const { challenge, passkey, name: given } = readInput(PasskeyForm, request.body ?? {});
    if (!passkey) throw conflict('no_passkey', 'The browser sent no passkey. Try again.');
    await addPasskey(tx, deps.keyring, { site: requireSite(request), challenge, name: given || 'Passkey', passkey });
    return codesWithFirstFactor(tx, requireOwner(tx));
  };
  const addApp: Change = async (tx, request) => {
    const { challenge, code, name: given } = readInput(AppForm, request.body ?? {});
    await addAuthenticatorApp(tx, deps.keyring, { challenge, code, name: given || 'Authenticator app' });
    return codesWithFirstFactor(tx, requireOwner(tx));
  };
  form('passkeys', { news: 'passkey_added', change: addOwnPasskey });
  form('authenticator-app', { news: 'authenticator_app_added', change: addApp, readSentChallenge });
  form('recovery-codes', { news: 'recovery_codes_made', change: newCodes });
  form('delete', { news: 'factor_deleted', change: deleteOwn });
}

const readSentChallenge = (request: FastifyRequest): string => readInput(AppForm, request.body ?? {}).challenge;

const newCodes: Change = async (tx) => {
  const owner = requireOwner(tx);
  if (!(await hasSecondFactor(tx.prisma, owner))) throw conflict('no_second_factor', 'Recovery codes need a second factor. Add one first.');
  return replaceRecoveryCodes(tx, owner);
};

const deleteOwn: Change = async (tx, request) => {
  const policy = await readSecurityPolicy(tx);
  const required = tx.role !== null && requiresSecondFactor(policy, tx.role);
  await deleteSecondFactor(tx, readInput(DeleteForm, request.body ?? {}).factor, required);
  return null;
};
