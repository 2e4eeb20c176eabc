import { APPOINTMENT_CATEGORIES } from './appointment-categories.ts';
import type { Category } from './category.ts';
import { MESSAGE_CATEGORIES } from './message-categories.ts';

/**
 * The kinds of texts that the server sends by itself, each from the active template of its category, else from the texts here. Those in
 * Spanish avoid accents outside of GSM-7 where a plain word has none: one of them halves what a segment holds.
 */
const DECLARED = { ...MESSAGE_CATEGORIES, ...APPOINTMENT_CATEGORIES };

export type CategoryName = keyof typeof DECLARED;

export const CATEGORIES: Readonly<Record<CategoryName, Category>> = DECLARED;

const isCategoryName = (name: string): name is CategoryName => Object.hasOwn(DECLARED, name);

export const CATEGORY_NAMES: readonly CategoryName[] = Object.keys(DECLARED).filter(isCategoryName);

/** Messages about appointments, which go as the practice has set (visit-messages/). */
export type VisitMessageKind = CategoryName extends infer N ? (N extends `visit-${infer K}` ? K : never) : never;

const isVisitMessageKind = (name: string): name is VisitMessageKind => isCategoryName(`visit-${name}`);

export const VISIT_MESSAGE_KINDS: readonly VisitMessageKind[] = CATEGORY_NAMES.map((name) => name.replace(/^visit-/, '')).filter(
  isVisitMessageKind,
);

/** The category of which the server sends texts by itself; null for any other. */
export const findCategory = (name: string): Category | null => (isCategoryName(name) ? CATEGORIES[name] : null);

const toPlain = (name: string): string => name.replaceAll(/[\s_-]/g, '');

/** A category in its one spelling: lower case, and `check-in` for `checkin` or `Check_In`. */
export function readCategory(written: string): string {
  const lower = written.toLowerCase();
  return CATEGORY_NAMES.find((name) => toPlain(name) === toPlain(lower)) ?? lower;
}

/** A category with its name and the template that is in use for it; null where the server's own words are sent. */
export interface CategoryInUse extends Category {
  name: CategoryName;
  activeTemplateId: number | null;
}
