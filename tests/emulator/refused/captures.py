"""Programs that HIP refuses: captures of streams."""

import contextlib
import threading

from tests.emulator.hip import GLOBAL, HipError
from tests.emulator.refusals import captured, event, out, refused, size


@refused("The capture has failed before: ", 901)
def work_after_a_refusal(hip):
  stream, data = hip.stream(), hip.words([1])
  hip.call("hipStreamBeginCapture", stream, GLOBAL)
  with contextlib.suppress(HipError):
    hip.call("hipDeviceSynchronize")
  hip.call("hipMemsetAsync", data, 0, size(4), stream)


@refused("The null stream cannot be captured.", 900)
def capture_of_the_null_stream(hip):
  hip.call("hipStreamBeginCapture", None, GLOBAL)


@refused("The stream is captured already.", 401)
def capture_of_a_captured_stream(hip):
  hip.call("hipStreamBeginCapture", captured(hip), GLOBAL)


@refused("The stream is not captured.", 401)
def end_of_no_capture(hip):
  hip.call("hipStreamEndCapture", hip.stream(), out())


@refused("The capture began on another stream.", 903)
def end_on_another_stream(hip):
  side = hip.stream()
  made = event(hip, captured(hip))
  hip.call("hipStreamWaitEvent", side, made, 0)
  hip.call("hipStreamEndCapture", side, out())


@refused("Another thread began the capture.", 908)
def end_in_another_thread(hip):
  stream, errors = captured(hip), []

  def end():
    try:
      hip.call("hipStreamEndCapture", stream, out())
    except HipError as error:
      errors.append(error)

  thread = threading.Thread(target=end)
  thread.start()
  thread.join()
  raise errors[0]


@refused("The stream does not wait for all work that was captured on other streams.", 904)
def end_before_the_other_stream(hip):
  side, data = hip.stream(), hip.words([1])
  stream = captured(hip)
  hip.call("hipStreamWaitEvent", side, event(hip, stream), 0)
  hip.call("hipMemsetAsync", data, 0, size(4), side)
  hip.call("hipStreamEndCapture", stream, out())


@refused("A captured stream waits for an event that was recorded outside of the capture.", 905)
def wait_for_work_outside_of_the_capture(hip):
  before = event(hip, hip.stream())
  hip.call("hipStreamWaitEvent", captured(hip), before, 0)


@refused("The event's last record was in a capture.", 907)
def wait_for_the_event_of_an_earlier_capture(hip):
  stream = captured(hip)
  made = event(hip, stream)
  hip.call("hipStreamEndCapture", stream, out())
  hip.call("hipStreamWaitEvent", hip.stream(), made, 0)


@refused("%s was called for an event that was recorded in a capture.", 907)
def query_of_a_captured_event(hip):
  hip.call("hipEventQuery", event(hip, captured(hip)))


@refused("The null stream waits for a captured event.", 906)
def null_stream_waits_for_a_captured_event(hip):
  hip.call("hipStreamWaitEvent", None, event(hip, captured(hip)), 0)


@refused("A wait would join two captures.", 902)
def wait_for_another_capture(hip):
  first, second = captured(hip), captured(hip)
  hip.call("hipStreamWaitEvent", first, event(hip, second), 0)


@refused("%s was called while a stream is captured.", 900)
def allocation_while_capturing(hip):
  captured(hip)
  hip.words([1])


@refused("The null stream was used while a stream is captured.", 906)
def null_stream_while_capturing(hip):
  data = hip.words([1])
  captured(hip)
  hip.call("hipMemset", data, 0, size(4))


@refused("%s was called for a stream that is captured.", 900)
def synchronization_of_a_captured_stream(hip):
  hip.call("hipStreamSynchronize", captured(hip))
