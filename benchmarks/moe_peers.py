"""Layers of experts of other packages, for moe.py. They take torch's tensors, router included.

An adapter arranges the parameters once: router [C, E], gate_up [E, C, 2, H] and down [E, H, C]. It
returns the forward pass, a function of x, and the tensors whose gradients are computed beside that
of x. If a package cannot be imported, or has no backward pass, the report gives the error.
"""

from benchmarks import measure


def way(name: str, params, pairs, top_k: int, gradients: bool) -> measure.Way:
  """A peer's way: [out], and with `gradients` those of parameters that lie as ours, and of x."""
  import torch

  tensors = [torch.from_dlpack(each).requires_grad_(gradients) for each in params]
  forward, others = PEERS[name](*tensors, top_k, gradients)

  def function(x, cotangent):
    if not gradients:
      with torch.no_grad():
        return [forward(x)]
    with torch.enable_grad():
      x = x.detach().requires_grad_()
      out = forward(x)
      found = torch.autograd.grad(out, [*others, x], cotangent.to(out.dtype))
    return [out.detach(), *(found if others[0] is tensors[0] else ())]

  return measure.in_torch(function, pairs)


def _torch(router, gate_up, down, top_k, gradients):
  import torch
  import torch.nn.functional as F

  def forward(x):
    values, chosen = (x.float() @ router).topk(top_k)
    chosen, order = chosen.flatten().sort(stable=True)
    ends = torch.searchsorted(
        chosen, torch.arange(1, len(down) + 1, device=x.device)).to(torch.int32)
    token = order // top_k
    gate, up = torch._grouped_mm(x.index_select(0, token), gate_up.flatten(2), ends).chunk(2, -1)
    rows = torch._grouped_mm(F.silu(gate) * up, down, ends)
    rows = rows * values.softmax(-1).flatten()[order][:, None]
    return torch.zeros_like(x, dtype=torch.float32).index_add(0, token, rows).to(x.dtype)

  return torch.compile(forward) if router.is_cuda else forward, (router, gate_up, down)


def _vllm(router, gate_up, down, top_k, gradients):
  if gradients:
    raise NotImplementedError("it has no backward pass")
  from vllm.model_executor.layers.fused_moe import fused_experts, fused_topk

  w1 = gate_up.permute(0, 2, 3, 1).flatten(1, 2).contiguous()  # [E, 2 H, C]
  w2 = down.transpose(1, 2).contiguous()

  def forward(x):
    weights, chosen, *_ = fused_topk(x, x.float() @ router, top_k, True)
    return fused_experts(x, w1, w2, weights, chosen)

  return forward, ()


def _triton_kernels(router, gate_up, down, top_k, gradients):
  """Its activation has up + 1 in the place of up, so its result differs from ours."""
  if gradients:
    raise NotImplementedError("it has no backward pass")
  from triton_kernels.matmul_ogs import FnSpecs, FusedActivation, matmul_ogs
  from triton_kernels.routing import routing
  from triton_kernels.swiglu import swiglu_fn

  w1 = gate_up.transpose(2, 3).flatten(2).contiguous()  # [E, C, 2 H], gate and up in turn
  activation = FusedActivation(FnSpecs("swiglu", swiglu_fn, ("alpha", "limit")), (1.0, 1e30), 2)

  def forward(x):
    routed, gather, scatter = routing(x.float() @ router, top_k)
    hidden = matmul_ogs(x, w1, None, routed, gather_indx=gather, fused_activation=activation)
    return matmul_ogs(hidden, down, None, routed, scatter_indx=scatter, gammas=routed.gate_scal)

  return forward, ()


def _sonicmoe(router, gate_up, down, top_k, gradients):
  """Its router's product is in bfloat16, so that it routes some tokens in another way."""
  from sonicmoe import moe_TC_softmax_topk_layer
  from sonicmoe.enums import ActivationType
  import torch

  own = [each.detach().contiguous().requires_grad_(gradients) for each in (
      router.T.to(torch.bfloat16), gate_up.permute(0, 3, 2, 1).flatten(1, 2), down.transpose(1, 2))]

  def forward(x):
    by_router, w1, w2 = own
    return moe_TC_softmax_topk_layer(
        x, by_router, w1.permute(1, 2, 0), None, w2.permute(1, 2, 0), None, top_k,
        torch.cuda.current_stream().cuda_stream, ActivationType.SWIGLU, not gradients)[0]

  return forward, own


PEERS = {"torch": _torch, "vllm": _vllm, "triton_kernels": _triton_kernels, "sonicmoe": _sonicmoe}
