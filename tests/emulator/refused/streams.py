"""Programs that HIP refuses: graphs, streams and events."""

import ctypes

from tests.emulator.hip import be_late, kernel_node
from tests.emulator.refusals import event, function, refused, size


def graph(hip):
  return hip.make("hipGraphCreate", 0)


def empty_node(hip, of, after=None):
  before = (ctypes.c_void_p * 1)(after)
  return hip.make("hipGraphAddEmptyNode", of, before, size(0 if after is None else 1))


def copy_node(hip, of, data):
  return hip.make("hipGraphAddMemcpyNode1D", of, None, size(0), data, data, size(4), 3)


def instance(hip, of):
  return hip.make("hipGraphInstantiate", of, None, None, size(0))


@refused("A node depends on one that is not in its graph.", 1)
def node_after_that_of_another_graph(hip):
  empty_node(hip, graph(hip), after=empty_node(hip, graph(hip)))


@refused("The graph has no such %s node.", 1)
def update_of_another_node(hip):
  made, kernel, data = graph(hip), function(hip), hip.words([0] * 64)
  node = empty_node(hip, made)
  hip.call("hipGraphExecKernelNodeSetParams", instance(hip, made), node,
           ctypes.byref(kernel_node(kernel, data, data)))


@refused("A child graph can be replaced only by one of the same nodes.", 910)
def child_graph_of_another_form(hip):
  made, child, other, data = graph(hip), graph(hip), graph(hip), hip.words([1])
  copy_node(hip, child, data)
  empty_node(hip, other)
  node = hip.make("hipGraphAddChildGraphNode", made, None, size(0), child)
  hip.call("hipGraphExecChildGraphNodeSetParams", instance(hip, made), node, other)


@refused("The file cannot be written.", 304)
def picture_in_a_folder_that_is_not_there(hip):
  hip.call("hipGraphDebugDotPrint", graph(hip), b"/nowhere/graph.dot", 0)


@refused("The stream does not exist.", 400)
def stream_that_was_destroyed(hip):
  stream = hip.stream()
  hip.call("hipStreamDestroy", stream)
  hip.call("hipStreamSynchronize", stream)


@refused("The stream does not exist.", 400)
def second_destruction_of_a_stream(hip):
  stream = hip.stream()
  hip.call("hipStreamDestroy", stream)
  hip.call("hipStreamDestroy", stream)


@refused("The stream has work left.", 600)
def query_of_a_late_stream(hip):
  stream, data = hip.stream(), hip.words([1])
  late_work(hip, stream, data)
  hip.call("hipStreamQuery", stream)


def late_work(hip, stream, data):
  be_late(hip, microseconds=400_000)
  for _ in range(4):
    hip.call("hipMemsetAsync", data, 1, size(4), stream)


@refused("The work before the event has not finished.", 600)
def query_of_a_late_event(hip):
  stream, data = hip.stream(), hip.words([1])
  late_work(hip, stream, data)
  hip.call("hipEventQuery", event(hip, stream))


@refused("An event was never recorded.", 400)
def time_between_events_without_work(hip):
  hip.call("hipEventElapsedTime", ctypes.byref(ctypes.c_float()), event(hip), event(hip))


@refused("The work before an event has not finished.", 600)
def time_until_a_late_event(hip):
  stream, data = hip.stream(), hip.words([1])
  first = event(hip, stream)
  late_work(hip, stream, data)
  hip.call("hipEventElapsedTime", ctypes.byref(ctypes.c_float()), first, event(hip, stream))
