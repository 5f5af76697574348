"""TRL: real GRPO steps on the CPU, of a tiny model that knows nothing, with codejury's reward.

    pip install torch trl            (or: make test-trl)
    python examples/rewards/trl_grpo.py [STEPS]

The model is made up on the spot: two layers, random weights, a vocabulary of five programs. One of them is right, so it
has something to learn, and nothing is downloaded.
"""

import os
import sys
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

from codejury.integrations.trl import code_reward

PROGRAMS = ["print(1)", "print(2)", "print(3)", "print(4)", "pass"]
TESTS = {"inputs": [""], "outputs": ["2"]}


def tokenizer() -> PreTrainedTokenizerFast:
    words = {word: number for number, word in enumerate(["<pad>", "<end>", "<task>", *PROGRAMS])}
    plain = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="<pad>", eos_token="<end>", padding_side="left")


def train(steps: int) -> list[float]:
    """The mean reward of each step."""
    torch.manual_seed(1)
    words = tokenizer()
    config = LlamaConfig(
        vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=64, pad_token_id=0, eos_token_id=1, bos_token_id=None,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=LlamaForCausalLM(config),
            processing_class=words,
            reward_funcs=code_reward,
            train_dataset=Dataset.from_list([{"prompt": "<task>", "ground_truth": TESTS}] * 64),
            args=GRPOConfig(
                output_dir=folder, max_steps=steps, per_device_train_batch_size=16, num_generations=16,
                max_completion_length=1, learning_rate=0.02, logging_steps=1, report_to=[], use_cpu=True, bf16=False,
                save_strategy="no", disable_tqdm=True, seed=1,
            ),
        )  # fmt: skip
        trainer.train()
        return [row["rewards/code_reward/mean"] for row in trainer.state.log_history if "rewards/code_reward/mean" in row]


def main() -> None:
    means = train(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
    print("mean reward of each step:", " ".join(f"{mean:.2f}" for mean in means))


if __name__ == "__main__":
    main()
