import { ConnectionQuality, Room, RoomEvent } from 'livekit-client';
import type { Media, MediaEvents } from './media.ts';
import type { Joined } from './protocol.ts';

/** Video and audio through a LiveKit server, to which each browser sends once. Its identities are our participant ids. */
export async function createLiveKit({ livekit }: Joined, local: MediaStream, { onStream, onLeft, onQuality }: MediaEvents): Promise<Media> {
  if (!livekit) throw new Error('The server names no LiveKit server.');
  const room = new Room({ dynacast: true });
  const streams = new Map<string, MediaStream>();
  room.on(RoomEvent.TrackSubscribed, ({ mediaStreamTrack }, _publication, { identity }) => {
    const stream = streams.get(identity) ?? new MediaStream();
    streams.set(identity, stream);
    stream.addTrack(mediaStreamTrack);
    onStream(Number(identity), stream);
  });
  room.on(RoomEvent.TrackUnsubscribed, ({ mediaStreamTrack }, _publication, { identity }) => {
    streams.get(identity)?.removeTrack(mediaStreamTrack);
  });
  room.on(RoomEvent.ParticipantDisconnected, ({ identity }) => {
    streams.delete(identity);
    onLeft(Number(identity));
  });
  room.on(RoomEvent.ConnectionQualityChanged, (quality, { identity, isLocal }) => {
    if (!isLocal) onQuality(Number(identity), quality === ConnectionQuality.Lost);
  });
  await room.connect(livekit.url, livekit.token);
  for (const track of local.getTracks()) await room.localParticipant.publishTrack(track);
  // LiveKit itself signals who is in the room and what they send.
  return { way: 'livekit', setPeople() {}, receiveSignal() {}, rejoin() {}, close: () => void room.disconnect() };
}
