import { createReview, deleteReview, listReviews, readReview } from '../../../domain/monitoring/reviews.ts';
import { requireOwnOrganization } from '../../../domain/practices/organizations.ts';
import type { Endpoints } from '../../../http/declare-endpoints.ts';
import { NoContent, writePage } from '../shared.wire.ts';
import {
  fromReview,
  NewReviewRequest,
  ReviewList,
  ReviewResponse,
  reviewParams,
  reviewsQuery,
  toReview,
  toReviewFilter,
} from './reviews.wire.ts';

/** Reviews of check-ins. */
export function reviewRoutes({ get, post, delete: remove }: Endpoints): void {
  get('/remote-patient-monitoring/checkin-reviews', {
    operationId: 'listCheckInReviews',
    summary: 'List reviews of check-ins',
    description: 'Begun between two dates; the newest first unless asked otherwise. There is only your own organization to ask for.',
    tag: 'Remote patient monitoring',
    query: reviewsQuery,
    response: ReviewList,
    handle: async ({ db, caller, query, request }) => {
      requireOwnOrganization(caller, query.org_uuid, 'org_uuid');
      return writePage(request, await listReviews(db, caller, toReviewFilter(query), query), fromReview);
    },
  });

  post('/remote-patient-monitoring/checkin-reviews', {
    operationId: 'createCheckInReview',
    summary: 'Note the work on a check-in',
    description:
      'Whose work it was, and who else cares for the patient, is told by a push notification, unless they want none; you yourself only where there is nobody else.',
    tag: 'Remote patient monitoring',
    body: NewReviewRequest,
    response: ReviewResponse,
    status: 201,
    etag: true,
    handle: async ({ db, caller, body }) => ({ data: fromReview(await createReview(db, caller, toReview(body))) }),
  });

  get('/remote-patient-monitoring/checkin-reviews/:checkin_review', {
    operationId: 'getCheckInReview',
    summary: 'Read a review of a check-in',
    tag: 'Remote patient monitoring',
    params: reviewParams,
    response: ReviewResponse,
    etag: true,
    handle: async ({ db, caller, params }) => ({ data: fromReview(await readReview(db, caller, params.checkin_review)) }),
  });

  // The list of operations leaves the slash out; both work.
  const spellings = [
    ['/remote-patient-monitoring/checkin-reviews:checkin_review', 'deleteCheckInReviewAsListed'],
    ['/remote-patient-monitoring/checkin-reviews/:checkin_review', 'deleteCheckInReview'],
  ] as const;
  for (const [path, operationId] of spellings) {
    remove(path, {
      operationId,
      summary: 'Delete a review of a check-in',
      description: 'Only who wrote it, or an admin. Its minutes count no more.',
      tag: 'Remote patient monitoring',
      params: reviewParams,
      response: NoContent,
      status: 204,
      handle: async ({ db, caller, params }) => {
        await deleteReview(db, caller, params.checkin_review);
        return null;
      },
    });
  }
}
