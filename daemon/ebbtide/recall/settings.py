"""The settings of recall, from the sections of the configuration that hold them."""

from __future__ import annotations

from dataclasses import fields

from ebbtide.config import Config
from ebbtide.recall.budget import Limits
from ebbtide.recall.candidates import Edges
from ebbtide.recall.rank import Weights
from ebbtide.recall.ranking import Settings
from ebbtide.recall.score import scoring_of
from ebbtide.recall.why import Walking


def recall_settings(config: Config) -> Settings:
    """The section `recall` as the engine takes it."""
    recall = config.recall
    weights = Weights(**{item.name: getattr(recall, item.name) for item in fields(Weights)})  # of the same names
    packing = (recall.note_share, recall.tail, recall.budget_mode, recall.redundancy, recall.cost_power)
    limits = Limits(recall.budget, recall.max_items, *packing)
    edges = Edges(recall.edges, recall.hop_decay, recall.weak_edge, recall.hub_limit, recall.why_hops)
    return Settings(
        weights,
        limits,
        edges,
        abstain_below=recall.abstain,
        certain=recall.certain,
        sure=recall.sure,
        fact_share=recall.fact_share,
        graph_parents=recall.graph_parents,
        recent_days=recall.recent_days,
        scoring=scoring_of(config),
        walking=Walking(hops=recall.why_hops, weak=recall.weak_edge),
        route=recall.route,
        seconds=recall.deadline_ms / 1000,
    )
