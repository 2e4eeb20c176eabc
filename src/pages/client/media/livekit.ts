import { ConnectionQuality, Room, RoomEvent } from 'livekit-client';
import type { Joined } from '../protocol.ts';
import type { Media, MediaEvents } from './media.ts';
import type { Quality } from './tile.ts';

const QUALITIES: Partial<Record<ConnectionQuality, Quality>> = {
  [ConnectionQuality.Lost]: 'reconnecting',
  [ConnectionQuality.Poor]: 'poor',
};

/** Video and audio through a LiveKit server, to which each browser sends once. Its identities are our participant ids. */
export async function createLiveKit({ livekit }: Joined, local: MediaStream, { onStream, onLeft, onQuality }: MediaEvents): Promise<Media> {
  if (!livekit) throw new Error('The server has no LiveKit address.');
  const room = new Room({ dynacast: true });
  const streams = new Map<string, MediaStream>();
  room.on(RoomEvent.TrackSubscribed, ({ mediaStreamTrack }, _publication, { identity }) => {
    const stream = streams.get(identity) ?? new MediaStream();
    streams.set(identity, stream);
    stream.addTrack(mediaStreamTrack);
    onStream(Number(identity), stream);
    onQuality(Number(identity), 'connected');
  });
  room.on(RoomEvent.TrackUnsubscribed, ({ mediaStreamTrack }, _publication, { identity }) => {
    streams.get(identity)?.removeTrack(mediaStreamTrack);
  });
  room.on(RoomEvent.ParticipantDisconnected, ({ identity }) => {
    streams.delete(identity);
    onLeft(Number(identity));
  });
  room.on(RoomEvent.ConnectionQualityChanged, (quality, { identity, isLocal }) => {
    if (!isLocal) onQuality(Number(identity), QUALITIES[quality] ?? 'connected');
  });
  await room.connect(livekit.url, livekit.token);
  for (const track of local.getTracks()) await room.localParticipant.publishTrack(track);
  // LiveKit itself signals who is in the room and what they send.
  return {
    way: 'livekit',
    setPeople: (people) => people.forEach(({ id }) => void onQuality(id, 'connected')),
    receiveSignal() {},
    rejoin() {},
    replaceVideo: (track) => void replaceVideo(room, track),
    close: () => void room.disconnect(),
  };
}

async function replaceVideo({ localParticipant }: Room, track: MediaStreamTrack | null): Promise<void> {
  for (const { track: sent } of localParticipant.videoTrackPublications.values())
    if (sent) await localParticipant.unpublishTrack(sent, false);
  if (track) await localParticipant.publishTrack(track);
}
