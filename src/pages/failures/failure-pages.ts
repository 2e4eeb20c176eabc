import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../domain/errors.ts';
import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import type { Language } from '../../domain/values/languages.ts';
import { logServerFailure, toFailure, toStatus } from '../../http/errors/error-mapping.ts';
import { requestLanguage } from '../../http/pages/page-language.ts';
import { PAGE_POLICY } from '../content-security-policy.ts';
import { writePage } from '../design/layout/page.ts';
import { PAGE_WORDS } from '../design/layout/page-words.ts';
import { practiceContact } from '../design/layout/practice-contact.ts';
import { html } from '../html.ts';
import type { StaffPageDeps } from '../staff/sign-in/staff-page-deps.ts';
import { findReaderPractice } from '../staff/sign-in/staff-scope.ts';
import { FAILURE_WORDS, type FailureWords, STAFF_FAILURE_WORDS } from './failure-words.ts';

/** One failure for unknown, altered and withdrawn links, so that nobody learns which of them it is. */
export const unknownLink = () => new Failure('not_found', 'link_unknown', 'This link does not work.');

/** A link that cannot be decoded is an unknown one. */
export const unreadableLinks = {
  addresses: /^\/(?:[vwcmb]|reset-password|invitation)\//,
  send: (request: FastifyRequest, reply: FastifyReply) =>
    sendFailurePage(unknownLink(), request, reply.headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store' })),
};

/** Sends a failure of a patient's page as a page in plain language: that of the page, else of the browser. */
export const sendFailurePage = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendFailure(error, request, reply, toFailurePage(requestLanguage(request)));

/** The same for pages of staff, which are in English and lead back to the pages of the practice. */
export const sendStaffFailurePage = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  practice: LinkPractice | null = null,
): FastifyReply => {
  const foot = wayBack(request, toFailure(error));
  return sendFailure(error, request, reply, { language: 'en', words: STAFF_FAILURE_WORDS, foot, practice });
};

/** The same under the names of the practice and of who is signed in. */
export const staffFailures = (deps: StaffPageDeps) => async (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
  sendStaffFailurePage(error, request, reply, toFailure(error).kind === 'unavailable' ? null : await findReaderPractice(deps, request));

const STAFF_ADDRESSES = /^\/(?:lobby|monitoring|administration|account|break-glass|sign-in)(?:[/?]|$)/;

/** An unknown address speaks to staff where somebody is signed in, or where it looks like one of theirs; else to patients. */
export const unknownPages = (deps: StaffPageDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const isLink = unreadableLinks.addresses.test(request.url);
  const practice = isLink ? null : await findReaderPractice(deps, request);
  reply.headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store' });
  if (practice !== null || STAFF_ADDRESSES.test(request.url)) return sendStaffFailurePage(unknownLink(), request, reply, practice);
  const page = toFailurePage(requestLanguage(request));
  return sendFailure(unknownLink(), request, reply, isLink ? page : { ...page, foot: page.foot + signInLine(page.language) });
};

const signInLine = (language: Language): string => html`<p><a href="/sign-in">${PAGE_WORDS[language].forStaff}</a></p>`;

function wayBack({ url }: FastifyRequest, { kind }: Failure): string {
  if (url.startsWith('/monitoring')) return html`<p><a href="/monitoring">Back to monitoring</a></p>`;
  if (url.startsWith('/administration/') && kind !== 'forbidden') return html`<p><a href="/administration">Back to administration</a></p>`;
  return html`<p><a href="/lobby">Back to the lobby</a></p>`;
}

/** The words of a failure, and the end of its page. */
interface FailurePage {
  language: Language;
  words: FailureWords;
  foot: string;
  practice: LinkPractice | null;
}

const toFailurePage = (language: Language): FailurePage => ({
  language,
  words: FAILURE_WORDS[language],
  foot: practiceContact(null, language),
  practice: null,
});

/** The address of the page that fails, where it can be opened in another language. */
function readAddress({ method, url }: FastifyRequest): string | undefined {
  const [address] = url.split('?', 1);
  return method === 'GET' && address !== undefined && unreadableLinks.addresses.test(address) ? address : undefined;
}

function sendFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { language, words, foot, practice }: FailurePage,
): FastifyReply {
  const failure = toFailure(error);
  logServerFailure(failure, request);
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
  const { heading, headings, advice, otherwise } = words;
  const page = writePage({
    title: headings[failure.kind] ?? heading,
    language,
    practice,
    address: readAddress(request),
    mark: { icon: 'warning', kind: 'warning' },
    content: html`<p>${advice[failure.code] ?? advice[failure.kind] ?? otherwise ?? failure.message}</p>`,
    foot,
  });
  return reply.code(toStatus(failure)).headers(failure.headers).type('text/html; charset=utf-8').send(page);
}
