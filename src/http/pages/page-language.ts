import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { LANGUAGES, type Language, languageTag } from '../../domain/values/languages.ts';
import { hostCookieName, readCookie, setCookie } from '../auth/cookies.ts';

const COOKIE = 'lang';
const ownLanguage = z.enum(LANGUAGES);
const languageQuery = z.object({ lang: ownLanguage });

/** The codes of the languages that are known of a page: ISO 639, or a tag with a region. */
export interface KnownLanguages {
  /** Of the patient's chart, or of the user who leads a visit; null for a reader whom nothing names. */
  reader: string | null;
  practice: string | null;
}

const resolved = new WeakMap<FastifyRequest, Language>();

/**
 * The language of a page: the one that was chosen with its switch, else the reader's, else the first of the browser's, else the
 * practice's, as far as the server has words in them; else English.
 */
export function pageLanguage(request: FastifyRequest, { reader, practice }: KnownLanguages): Language {
  const language =
    chosenLanguage(request) ??
    own(languageTag(reader)) ??
    acceptedLanguage(request.headers['accept-language']) ??
    own(languageTag(practice));
  resolved.set(request, language ?? 'en');
  return language ?? 'en';
}

/** The language of what is no page by itself, such as a failure: that of the page where it is known already, else what the browser says. */
export const requestLanguage = (request: FastifyRequest): Language =>
  resolved.get(request) ?? pageLanguage(request, { reader: null, practice: null });

/** Keeps the language that was chosen with the switch of a page, until the browser is closed. */
export function keepChosenLanguage(request: FastifyRequest, reply: FastifyReply): void {
  const language = request.method === 'GET' ? queriedLanguage(request) : null;
  if (language === null) return;
  setCookie(request, reply, { name: hostCookieName(request, COOKIE), value: language, sameSite: 'Lax' });
}

/** The address of a page, or of its form, in a language: the chosen one stands although the browser keeps no cookie. */
export const inLanguage = (address: string, language: Language): string => `${address}?lang=${language}`;

const own = (tag: string | null | undefined): Language | null => ownLanguage.safeParse(tag).data ?? null;

const queriedLanguage = ({ query }: FastifyRequest): Language | null => languageQuery.safeParse(query).data?.lang ?? null;

const chosenLanguage = (request: FastifyRequest): Language | null =>
  queriedLanguage(request) ?? own(readCookie(request, hostCookieName(request, COOKIE)));

/** The language that a browser prefers of those that the server has (RFC 9110, 12.5.4); null for none of them. */
function acceptedLanguage(header: string | undefined): Language | null {
  const ranges = (header ?? '').split(',').flatMap((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const [weight = '1'] = parameters.flatMap((parameter) => /^q=(\d(?:\.\d{1,3})?)$/i.exec(parameter)?.[1] ?? []);
    const language = own(tag.toLowerCase().split('-', 1)[0]);
    return language === null || Number(weight) === 0 ? [] : { language, weight: Number(weight) };
  });
  return ranges.toSorted((a, b) => b.weight - a.weight)[0]?.language ?? null;
}
