import type { Command } from 'commander';
import { z } from 'zod';
import { addReviewUrl, listReviewUrls, type ReviewUrl, removeReviewUrl } from '../../domain/telehealth/visits/review-urls.ts';
import { findUserAnywhere } from '../../domain/users/users.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { email, id, limit, organization, text } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';

const user = () => z.union([id(), email()], 'must be an email or an id').meta({ placeholder: 'user' });

export function reviewUrlCommands(program: Command, { command }: CommandDeclarer): void {
  const reviewUrls = program.command('review-urls').description('Review URLs: where patients may review a user.');

  command(reviewUrls, 'add', {
    summary: 'Tell where a user can be reviewed',
    details: 'Texts that ask for a review take the first of a user.',
    options: z.object({
      user: user().describe('the email they sign in with, or their id'),
      url: text(2_000).describe('an address that begins with https://'),
      title: text(100).exactOptional().describe('what it is called in lists'),
    }),
    run: async ({ db, write }, { user: reference, ...input }) => {
      const { id: userId, organizationId } = await findUserAnywhere(db, reference);
      return record(row(await write(organizationId, (tx, caller) => addReviewUrl(tx, caller, { userId, ...input }))));
    },
  });

  command(reviewUrls, 'list', {
    summary: 'List the review URLs of a practice',
    details: 'Of the users who work there now.',
    options: z.object({ organization: organization(), limit: limit(100) }),
    run: async ({ read }, { organization: organizationId, limit: most }) => {
      const page = { page: 1, limit: most };
      const { items } = await read(organizationId, (db, caller) => listReviewUrls(db, caller, page));
      return list(items.map(row), 'Nobody has one.');
    },
  });

  command(reviewUrls, 'remove', {
    summary: 'Take a review URL away',
    options: z.object({ reviewUrl: id().meta({ positional: true }).describe('its id'), organization: organization() }),
    run: async ({ write }, { organization: organizationId, reviewUrl }) =>
      record(row(await write(organizationId, (db, caller) => removeReviewUrl(db, caller, reviewUrl)))),
  });
}

const row = (url: ReviewUrl): Row => ({
  id: url.id,
  organization_id: url.organizationId,
  user_id: url.userId,
  name: `${url.user.firstName} ${url.user.lastName}`,
  url: url.url,
  title: url.title,
});
