"""Producers: arrays that are copied in chunks while a product of them runs.

* `start_copy`: asks for a copy, which begins with the first product of it
* `join`: ends it, behind what was computed from it
* `overlap`: both, around a consumer; this is what programs call

A copy runs beside the program, on a GPU on a stream and on the CPU on a thread of its
own. The source may lie in pinned host memory, from where copy engines bring it, which
leave a GPU's multiprocessors to the product, or in device memory. Within a device a GPU
may copy by kernels, whatever the driver is asked for, so such a copy ends before the
product starts, unless product_leaves_room=True says that the two can run together.
An example::

  x = jax.device_put(x, x.sharding.with_memory_kind("pinned_host"))

  @jax.jit
  def f(x, w):
    rows = jaxgemm.chunk_rows(x, w, tiles_per_chunk_m=4)
    return jaxgemm.overlap(
        x, lambda data, signals: jaxgemm.chunked_matmul(
            data, w, signals, tiles_per_chunk_m=4, chunk_rows=rows), chunk_rows=rows)

`data` and `signals` exist before their contents do. Three rules follow.

  * Before the join `data` is for `jaxgemm.chunked_matmul`, as its lhs. All else, be it a
    transpose or a change of its type, would read what has not arrived: an error where
    the program is lowered. Take the source `x` for it, or what the product gives. After
    the join, too: XLA does not know that `data` has changed.
  * Who starts joins, in the same function, and uses what the join returns: XLA gives the
    source's memory to others after its last use that it knows of. `overlap` keeps the
    rule; a start_copy without a join is an error where the program is lowered.
  * A product waits for its producer, so the producer must be able to run. Copies of
    `start_copy` are, as they come: copy engines need no multiprocessor, what may need one
    ends before the product starts, and the CPU's thread is not one of XLA's, all of
    which may be waiting. A kernel beside the product is not: on the product's stream it
    would never start, and a product that fills the GPU leaves it no room. So give the
    product fewer workgroups, GemmConfig(num_workgroups=...), where a producer of your
    own is a kernel (on another stream), and with product_leaves_room=True, then all
    products that wait for chunks between that start and its join. On AMD GPUs give it
    fewer for copies from the host too: the runtime may set signals by kernels.

The copy begins with the first product that reads it, and that product's call ends behind
it. So whatever fails between start and join, be it a callback that raises, no copy
writes to memory that XLA has given to others. What the program does between start_copy
and that product does not run beside the copy.

However a wait goes wrong, its `timeout` ends it: the call fails with an error, and the
device is as before. The call that fails does not get to its join. So one more rule holds
for a producer of your own: when the program has failed it must not write any more, for
its arrays may be another's by then. Give the product a timeout that the producer keeps
in any case.

A producer of your own is an FFI call that returns its data and signals at once. It
first sets all signals to something else than the epoch (on a GPU on XLA's stream), for
their memory holds anything, and then each to the epoch, with a release, when the chunk
is there; examples/own_producer has one for CPUs and one for GPUs. `join(...,
epoch=...)` waits until all signals are that epoch (a GPU's host waits), so a producer
must not touch its arrays after setting its last one. In a loop or a branch give its
`jax.ffi.ffi_call` has_side_effect=True, which keeps XLA from moving it away from its join.

`jax.export` has to allow the calls jaxgemm_chunks_start, jaxgemm_chunks_join,
jaxgemm_chunked_gemm and, for GPUs, jaxgemm_chunk_status beside jaxgemm_gemm.
"""
