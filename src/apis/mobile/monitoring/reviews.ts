import { createReview, deleteReview, listReviews, readReview } from '../../../domain/monitoring/reviews/reviews.ts';
import { requireOwnOrganization } from '../../../domain/practices/organizations.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../shared.wire.ts';
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

export function reviewRoutes(endpoints: Endpoints): void {
  const { get, post, remove } = endpoints.group({ tag: 'Remote patient monitoring' });
  get('/remote-patient-monitoring/checkin-reviews', {
    operationId: 'listCheckInReviews',
    summary: 'List reviews of check-ins',
    description: 'Reviews started between two dates, newest first by default. Only your own organization can be requested.',
    query: reviewsQuery,
    response: ReviewList,
    handle: async ({ tx, query, request }) => {
      requireOwnOrganization(tx, query.org_uuid, 'org_uuid');
      return writePage(request, await listReviews(tx, toReviewFilter(query), query), fromReview);
    },
  });

  post('/remote-patient-monitoring/checkin-reviews', {
    operationId: 'createCheckInReview',
    summary: 'Create a review of a check-in',
    description:
      'A push notification goes to the user who did the work and to the patient’s care team, except to users who turned notifications off. The calling user is notified only if there is nobody else.',
    body: NewReviewRequest,
    response: ReviewResponse,
    status: 201,
    etag: true,
    handle: async ({ tx, body }) => ({ data: fromReview(await createReview(tx, toReview(body))) }),
  });

  const current = get('/remote-patient-monitoring/checkin-reviews/:checkin_review', {
    operationId: 'getCheckInReview',
    summary: 'Read a review of a check-in',
    params: reviewParams,
    response: ReviewResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromReview(await readReview(tx, params.checkin_review)) }),
  });

  // The list of operations leaves the slash out; both work, and the document shows the listed path.
  for (const slash of ['', '/']) {
    remove(`/remote-patient-monitoring/checkin-reviews${slash}:checkin_review`, {
      operationId: 'deleteCheckInReview',
      isAlias: slash === '/',
      summary: 'Delete a review of a check-in',
      description: 'Only its author or an admin may delete it. Its minutes no longer count. A slash before the id is accepted too.',
      params: reviewParams,
      current,
      handle: ({ tx, params }) => deleteReview(tx, params.checkin_review),
    });
  }
}
